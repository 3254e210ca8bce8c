// main.c - superstep-worker: a worker for applications that are shared objects.
#include <superstep/superstep.h>

int main(int argc, char **argv)
{
    return ss_worker_main(argc, argv, NULL);
}
