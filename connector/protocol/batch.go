package protocol

import "fmt"

// Item is one message of a posted body: an event, or the reason why it is
// none.
type Item struct {
	Event   Event
	Refusal *Error // nil exactly if there is an event
}

// DecodeBatch reads what a program posts: one event, or an array of 1 to most
// events. The error says that nothing of the body can be read: BAD_JSON,
// TOO_LARGE for an array of too many, else BAD_MESSAGE. What is wrong with
// one message is that item's refusal alone.
func DecodeBatch(body []byte, most int) ([]Item, *Error) {
	value, err := parse(body)
	if err != nil {
		return nil, Refusal("", BadJSON, "the body "+err.Error())
	}
	values, many := value.([]any)
	if !many {
		values = []any{value}
	}
	switch {
	case len(values) == 0:
		return nil, Refusal("", BadMessage, "the array is empty")
	case len(values) > most:
		return nil, Refusal("", TooLarge, fmt.Sprintf("the array has %d messages, at most %d may come at once", len(values), most))
	}
	items := make([]Item, len(values))
	for i, value := range values {
		items[i].Event, items[i].Refusal = readEvent(value)
	}
	return items, nil
}

// readEvent makes an event of a JSON value.
func readEvent(value any) (Event, *Error) {
	message, refusal := read(value)
	if refusal != nil {
		return nil, refusal
	}
	event, ok := message.(Event)
	if !ok {
		return nil, Refusal("", UnknownType, "only viewing, watchlist and list can be posted")
	}
	return event, nil
}
