// folder.h - a temporary folder for one scenario.
#ifndef CONFORMANCE_FOLDER_H
#define CONFORMANCE_FOLDER_H

// A new one under $TMPDIR or /tmp. Gives its path (ss_free); NULL with errno.
char *folder_new(void);
// Remove the files in it, and it.
void folder_remove(const char *folder);

#endif
