// name_before.h - where names begin, in an order by bytes.
#ifndef SS_MODEL_NAME_BEFORE_H
#define SS_MODEL_NAME_BEFORE_H

// A name that stands before `name`, and behind every other one before it that
// anybody gives: a list that goes on behind it begins with `name`. Gives.
char *ss_name_before(const char *name);

#endif
