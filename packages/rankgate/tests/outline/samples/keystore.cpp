#include <map>
#include <string>

namespace keys {

class Forward;

template <typename K, typename V>
class Store : public std::map<K, V> {
public:
    Store() = default;
    explicit Store(int limit) : limit_(limit) {}
    ~Store() {}

    Store &operator=(const Store &other);
    bool operator==(const Store &other) const { return this == &other; }
    operator bool() const { return true; }

    V *find(const K &key);

    template <typename F>
    void each(F call) {
        auto inner = [&](int value) { return call(value); };
        inner(limit_);
    }

    struct Entry {
        int depth() const { return 1; }
    };

    enum class State { active, retired };

    using value = V;

private:
    int limit_ = 10;
};

template <typename K, typename V>
V *Store<K, V>::find(const K &key)
{
    return nullptr;
}

template <typename K, typename V>
Store<K, V> &Store<K, V>::operator=(const Store &other) { return *this; }

namespace deep::deeper {
[[nodiscard]] inline int grind() { return 1; }
}

namespace {
int hidden() { return 2; }
}

}  // namespace keys

struct Plain {
    virtual void run() = 0;
    Plain();
    ~Plain();
    operator int() const;
};

Plain::Plain() {}
Plain::~Plain() {}
Plain::operator int() const { return 1; }

template <typename T>
concept Small = sizeof(T) < 8;

typedef struct { int x; } point;

union bits { int whole; };

extern "C" {
int from_c(void) { return 0; }
}

const std::string &keys_name() { static std::string name = "größer"; return name; }

auto trailing() -> int { return 0; }

int main(int argc, char **argv) {
    struct Local { void go() {} };
    return 0;
}
