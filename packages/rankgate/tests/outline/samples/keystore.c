#include <stdio.h>

#define LIMIT 10
#define LARGER(a, b) \
    ((a) > (b) ? (a) : (b))

struct forward;

int prototype(int value);

struct key {
    char name[LIMIT];
    struct inner {
        int depth;
    } nested;
    union {
        int whole;
        float broken;
    };
};

typedef struct {
    int x, y;
} point;

typedef struct node {
    struct node *next;
} node_t;

enum state { ACTIVE, RETIRED };

typedef enum { RED, GREEN } colour;

union bits {
    unsigned whole;
    unsigned char bytes[4];
};

typedef unsigned long size;
typedef int (*compare)(const void *, const void *);

static struct key keys[LIMIT];

static inline int
add(int a, int b)
{
    return a + b;
}

struct key *find(const char *name) {
    return &keys[0]; /* größer */
}

int (*choose(int which))(int) {
    return 0;
}

__attribute__((noinline)) void stop(void) {}

int old(a, b)
    int a, b;
{
    return a - b;
}

#ifdef LIMIT
static void conditional(void) { puts("x"); }
#endif
