// WB_DCHECK: an invariant of this library, tested in debug builds only. Never for caller input.
#pragma once

#include <cstdio>
#include <cstdlib>

#ifdef NDEBUG
#define WB_DCHECK(condition)      \
  do {                            \
    if (false) (void)(condition); \
  } while (false)
#else
#define WB_DCHECK(condition)                                                                 \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: invariant broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#endif
