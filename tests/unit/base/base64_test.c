#include "common/base/base64.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static void expect_base64(const char *plain, const char *text)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    char *made = ss_base64_text(plain, strlen(plain));
    ck_assert_str_eq(made, text);
    ck_assert(ss_base64_bytes(text, strlen(text), &bytes, &size));
    ck_assert_uint_eq(size, strlen(plain));
    ck_assert_mem_eq(bytes, plain, size);
    ss_free(bytes);
    ss_free(made);
}

START_TEST(base64_is_that_of_rfc_4648)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    expect_base64("", "");
    expect_base64("f", "Zg==");
    expect_base64("fo", "Zm8=");
    expect_base64("foo", "Zm9v");
    expect_base64("foobar", "Zm9vYmFy");
    expect_base64("\xff\xfe\xfd", "//79");
    static const char *const wrong[] = {
        "Z", "Zg=", "Zg!=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm 9v"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert(!ss_base64_bytes(wrong[i], strlen(wrong[i]), &bytes, &size));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base64");
    TCase *tcase = tcase_create("base64");
    tcase_add_test(tcase, base64_is_that_of_rfc_4648);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
