// The system's libxml2, seen from Swift. Only `CambiumCompiler` imports this module.
#ifndef CAMBIUM_CLIBXML2_SHIM_H
#define CAMBIUM_CLIBXML2_SHIM_H

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#endif
