/* Generated graphs on the public side. The functions are public (privdpr.h); this header is the
 * module's door. */
#ifndef PDPR_GENERATE_GENERATE_H
#define PDPR_GENERATE_GENERATE_H

#include "graph/graph.h"
#include "dp/random_stream.h"

#endif
