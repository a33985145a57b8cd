// Cron expressions of five fields: parsing, and the next time that one is due.

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tallyhook::scheduler {

/// An expression that cannot be read; says which of the five fields is wrong.
class InvalidSchedule : public std::runtime_error {
public:
    InvalidSchedule(std::string_view field, std::string_view text)
        : std::runtime_error(std::string(field) + " cannot be '" + std::string(text) + "'"), field_(field) {}

    const std::string& field() const noexcept { return field_; }

private:
    std::string field_;
};

/// What one field may hold.
struct FieldRange {
    std::string_view name;
    int lowest;
    int highest;
};

constexpr std::array<FieldRange, 5> kFields{{
    {"minute", 0, 59},
    {"hour", 0, 23},
    {"day of month", 1, 31},
    {"month", 1, 12},
    {"day of week", 0, 6},
}};

/// A time by the wall clock, without a zone.
struct WallTime {
    std::chrono::year_month_day date;
    int hour;
    int minute;
};

namespace {

int to_number(std::string_view text, const FieldRange& range) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < range.lowest || number > range.highest) {
        throw InvalidSchedule(range.name, text);
    }
    return number;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(mark);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

}  // namespace

/// The values of one field that are due.
class CronField {
public:
    /// Read lists, ranges and steps: `*`, `5`, `1-5`, `*/15`, `0-30/10,45`.
    static CronField parse(std::string_view text, const FieldRange& range) {
        CronField field;
        field.restricted_ = text.substr(0, 1) != "*";
        for (const auto part : split(text, ',')) {
            field.add_part(part, range);
        }
        return field;
    }

    bool contains(int value) const { return values_.test(static_cast<std::size_t>(value)); }

    /// Whether the field says more than a star does.
    bool restricted() const noexcept { return restricted_; }

private:
    void add_part(std::string_view part, const FieldRange& range) {
        const auto slash = part.find('/');
        const auto span = part.substr(0, slash);
        int step = 1;
        if (slash != std::string_view::npos) {
            step = to_number(part.substr(slash + 1), {range.name, 1, range.highest});
        }
        int first = range.lowest;
        int last = range.highest;
        if (span != "*") {
            const auto dash = span.find('-');
            first = to_number(span.substr(0, dash), range);
            last = dash == std::string_view::npos ? first : to_number(span.substr(dash + 1), range);
            if (first > last) {
                throw InvalidSchedule(range.name, span);
            }
        }
        for (int value = first; value <= last; value += step) {
            values_.set(static_cast<std::size_t>(value));
        }
    }

    std::bitset<60> values_;
    bool restricted_ = false;
};

/// Five fields that together say when a job is due.
class CronExpression {
public:
    static CronExpression parse(std::string_view text);

    bool matches(const WallTime& time) const;

    std::optional<WallTime> next_after(WallTime time) const;

private:
    bool matches_day(std::chrono::year_month_day date) const;

    std::array<CronField, 5> fields_;
};

CronExpression CronExpression::parse(std::string_view text) {
    const auto parts = split(text, ' ');
    if (parts.size() != kFields.size()) {
        throw InvalidSchedule("expression", text);
    }
    CronExpression expression;
    for (std::size_t at = 0; at < kFields.size(); ++at) {
        expression.fields_[at] = CronField::parse(parts[at], kFields[at]);
    }
    return expression;
}

// If both days are restricted, one of them is enough.
bool CronExpression::matches_day(std::chrono::year_month_day date) const {
    const auto weekday = std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding();
    const bool of_month = fields_[2].contains(static_cast<int>(static_cast<unsigned>(date.day())));
    const bool of_week = fields_[4].contains(static_cast<int>(weekday));
    if (fields_[2].restricted() && fields_[4].restricted()) {
        return of_month || of_week;
    }
    return of_month && of_week;
}

bool CronExpression::matches(const WallTime& time) const {
    return fields_[0].contains(time.minute) && fields_[1].contains(time.hour) &&
           fields_[3].contains(static_cast<int>(static_cast<unsigned>(time.date.month()))) && matches_day(time.date);
}

// Looks four years ahead, for the 29th of February; nothing where no day fits at all.
std::optional<WallTime> CronExpression::next_after(WallTime time) const {
    auto day = std::chrono::sys_days{time.date};
    int minute_of_day = time.hour * 60 + time.minute + 1;
    for (int ahead = 0; ahead <= 4 * 366; ++ahead, day += std::chrono::days{1}, minute_of_day = 0) {
        for (int minute = minute_of_day; minute < 24 * 60; ++minute) {
            const WallTime candidate{std::chrono::year_month_day{day}, minute / 60, minute % 60};
            if (matches(candidate)) {
                return candidate;
            }
        }
    }
    return std::nullopt;
}

}  // namespace tallyhook::scheduler
