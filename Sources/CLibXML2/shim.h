// The system's libxml2 for Swift. Only `CambiumCompiler` imports this module.
#ifndef CAMBIUM_CLIBXML2_SHIM_H
#define CAMBIUM_CLIBXML2_SHIM_H

// If libxml2 was built with ICU, its headers include ICU's headers. Their types conflict with the
// types of the ICU in Foundation. They are only needed for a structure that is not used here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

#endif
