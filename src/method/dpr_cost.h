/* What a deep-PageRank run will take, before it is made. */
#ifndef PDPR_METHOD_DPR_COST_H
#define PDPR_METHOD_DPR_COST_H

#include "method/dpr_setting.h"

/* Seconds on `threads` threads, training and one graph sampled, without reading and writing. */
double pdpr_i_dpr_seconds(const pdpr_i_dpr_setting *setting, uint32_t threads);

/* Bytes beside the graph at the highest: of training or of sampling, whichever is more. */
uint64_t pdpr_i_dpr_memory(const pdpr_i_dpr_setting *setting, uint32_t threads);

#endif
