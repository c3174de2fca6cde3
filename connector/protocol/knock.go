package protocol

// Knock asks to be paired without a code. Package pairing describes the conversation
// that it begins.
type Knock struct {
	ID         string `json:"id"`              // of this and all messages of the knock
	Commitment string `json:"commitment"`      // SHA-256 of the nonce to reveal, in lower-case hexadecimal
	Label      string `json:"label,omitempty"` // the user's name for this client
}

// Knocked answers knock.
type Knocked struct {
	ID          string `json:"id"`
	Nonce       string `json:"nonce"`       // the daemon's, 64 hexadecimal digits
	ExpiresInMs int64  `json:"expiresInMs"` // after that the knock is over
}

// Reveal tells the nonce of a knock. The user sees its number from then on. It has
// no answer but an error.
type Reveal struct {
	ID    string `json:"id"`
	Nonce string `json:"nonce"` // at most 200 characters
}

// Answered tells what the user says to a knock on the daemon's side.
type Answered struct {
	ID       string `json:"id"`
	Accepted bool   `json:"accepted"` // false: the knock is over
}

// Confirm asks for the token of a knock that was let in. It says that the user has
// agreed in the client, too.
type Confirm struct {
	ID string `json:"id"`
}

// Type is "knock".
func (Knock) Type() string { return TypeKnock }

// Type is "knocked".
func (Knocked) Type() string { return TypeKnocked }

// Type is "reveal".
func (Reveal) Type() string { return TypeReveal }

// Type is "answered".
func (Answered) Type() string { return TypeAnswered }

// Type is "confirm".
func (Confirm) Type() string { return TypeConfirm }
