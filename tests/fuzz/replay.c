// replay.c - feed a fuzz target the files of its corpus, without a fuzzer.
//
// Each file is also tried cut at every length up to a bound and with every byte
// of its beginning changed, so that a corpus of good inputs tests bad ones.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"

enum { FILE_SIZE_MAX = 1 << 20, TORN_MAX = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A copy of just this size, so that a read behind its end is seen.
static void feed(const char *data, size_t size)
{
    uint8_t *copy = ss_alloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    ss_free(copy);
}

static void feed_torn(char *data, size_t size)
{
    size_t end = size < TORN_MAX ? size : TORN_MAX;
    for (size_t i = 0; i < end; i++) {
        feed(data, i);
        for (int bit = 0; bit < 8; bit++) {
            data[i] = (char)(data[i] ^ (1 << bit));
            feed(data, size);
            data[i] = (char)(data[i] ^ (1 << bit));
        }
    }
}

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        return 1;
    }
    struct ss_buf buf;
    ss_buf_init(&buf, FILE_SIZE_MAX);
    char part[4096];
    size_t size;
    while ((size = fread(part, 1, sizeof(part), file)) > 0)
        ss_buf_add(&buf, part, size);
    fclose(file);
    int status = buf.status;
    if (status == SS_OK) {
        feed(ss_buf_str(&buf), buf.size);
        feed_torn(buf.data, buf.size);
    }
    ss_buf_fini(&buf);
    return status != SS_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[1]);
    if (!folder) {
        fprintf(stderr, "replay: cannot open the corpus %s\n", argv[1]);
        return 1;
    }
    int count = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = ss_format("%s/%s", argv[1], entry->d_name);
        failed += replay(path);
        count++;
        ss_free(path);
    }
    closedir(folder);
    printf("%d inputs replayed, %d failed\n", count, failed);
    return failed > 0 || count == 0;
}
