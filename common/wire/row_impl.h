// row_impl.h - what packing and unpacking a row's body share.
#ifndef SS_WIRE_ROW_IMPL_H
#define SS_WIRE_ROW_IMPL_H

enum {
    SS_ROW_UUID_SIZE = 16,
    SS_ROW_CHECK_KEY = 15 << 3 | 1, // field 15, eight bytes
    SS_ROW_CHECK_SIZE = 1 + 8,
};

#endif
