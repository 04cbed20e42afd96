/* Status and text: one call records both, so that no failure goes without its sentence. */
#include "base/base.h"

#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void write_text(pdpr_error *err, pdpr_status status,
                                                             const char *format, va_list args)
{
    err->status = status;
    vsnprintf(err->text, sizeof err->text, format, args);
}

pdpr_status pdpr_i_fail(pdpr_error *err, pdpr_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        write_text(err, status, format, args);
        va_end(args);
    }
    return status;
}

pdpr_status pdpr_i_fail_system(pdpr_error *err, int system_error, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        write_text(err, PDPR_EFAILED, format, args);
        va_end(args);

        char reason[128];
        if (strerror_r(system_error, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "system error %d", system_error);
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, ": %s", reason);
    }
    return PDPR_EFAILED;
}
