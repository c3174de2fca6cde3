package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// maxSafeInt is the largest integer that JavaScript's numbers hold exactly.
const maxSafeInt = 1<<53 - 1

// object reads the fields of one JSON object. The first field that is wrong
// is noted in fault; reading goes on with zero values.
type object struct {
	path   string // of the object, with a point: "media.", "" for the message
	values map[string]any
	fault  *fault
}

// fault is the first wrong field of a message.
type fault struct{ field, problem string }

func (o object) refuse(name, problem string) {
	if o.fault.field == "" {
		*o.fault = fault{o.path + name, problem}
	}
}

// need refuses the object if name is missing.
func (o object) need(name string) {
	if _, ok := o.values[name]; !ok {
		o.refuse(name, "is missing")
	}
}

// field is the value of a key as JSON type T, and false if it is missing. A
// value of another type, null included, is refused as not being a kind.
func field[T any](o object, name, kind string) (T, bool) {
	var zero T
	raw, ok := o.values[name]
	if !ok {
		return zero, false
	}
	value, ok := raw.(T)
	if !ok {
		o.refuse(name, "must be "+kind)
		return zero, false
	}
	return value, true
}

// text is a string of at most limit characters, "" if missing.
func (o object) text(name string, limit int) string {
	value, _ := field[string](o, name, "a string")
	if utf8.RuneCountInString(value) > limit {
		o.refuse(name, fmt.Sprintf("is longer than %d characters", limit))
		return ""
	}
	return value
}

// named is a string that must be there and not be empty.
func (o object) named(name string, limit int) string {
	o.need(name)
	value := o.text(name, limit)
	if value == "" {
		o.refuse(name, "is empty")
	}
	return value
}

// optional is a string that may be left out, but not be empty.
func (o object) optional(name string, limit int) string {
	if _, given := o.values[name]; !given {
		return ""
	}
	return o.named(name, limit)
}

// integer is a whole number from least to 2^53-1, nil if missing. 603.0 is
// one, as in JSON Schema.
func (o object) integer(name string, least int64) *int64 {
	number, ok := field[json.Number](o, name, "an integer")
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil {
		f, err := number.Float64()
		if err != nil || f != math.Trunc(f) || math.Abs(f) > maxSafeInt {
			o.refuse(name, "must be an integer")
			return nil
		}
		n = int64(f)
	}
	if n < least || n > maxSafeInt {
		o.refuse(name, fmt.Sprintf("must be from %d to %d", least, int64(maxSafeInt)))
		return nil
	}
	return &n
}

// small is an integer from least that an int holds, nil if missing.
func (o object) small(name string, least int64) *int {
	n := o.integer(name, least)
	if n == nil {
		return nil
	}
	if *n > math.MaxInt || *n < math.MinInt {
		o.refuse(name, "is too large")
		return nil
	}
	i := int(*n)
	return &i
}

// number is a number, 0 if missing.
func (o object) number(name string) float64 {
	number, ok := field[json.Number](o, name, "a number")
	if !ok {
		return 0
	}
	f, err := number.Float64()
	if err != nil { // beyond what a float64 holds
		o.refuse(name, "is too large")
	}
	return f
}

// texts are strings of 1 to limit characters, at most so many, nil if missing.
func (o object) texts(name string, most, limit int) (all []string) {
	list, _ := field[[]any](o, name, "an array")
	for _, value := range list {
		text, ok := value.(string)
		if !ok || text == "" || utf8.RuneCountInString(text) > limit || len(all) == most {
			o.refuse(name, fmt.Sprintf("must hold at most %d texts of 1 to %d characters", most, limit))
			return nil
		}
		all = append(all, text)
	}
	return all
}

// inner is an object, and false if missing. An object without values stands
// for one of another type, so that reading can go on.
func (o object) inner(name string) (object, bool) {
	values, ok := field[map[string]any](o, name, "an object")
	return object{path: o.path + name + ".", values: values, fault: o.fault}, ok
}
