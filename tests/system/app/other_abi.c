// other_abi.c - an application made for another version of superstep.h.
#include <superstep/superstep.h>

SS_APP_EXPORT const struct ss_app ss_app_descriptor = {
    SS_ABI_VERSION + 41, (uint32_t)sizeof(struct ss_app), NULL, NULL, NULL};
