// The system's libxml2, seen from Swift. Only `CambiumCompiler` imports this module.
#ifndef CAMBIUM_CLIBXML2_SHIM_H
#define CAMBIUM_CLIBXML2_SHIM_H

// Where libxml2 was built with ICU its headers include ICU's, whose types clash with those of the
// ICU inside Foundation. They only matter for a structure that we never touch.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

#endif
