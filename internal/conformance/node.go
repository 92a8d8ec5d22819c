package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what a scenario file may contain. They are far above anything a
// sensible scenario needs and bound the time and memory a hostile one can cost.
const (
	MaxFile    = 16 << 20 // bytes of one file
	maxNodes   = 1 << 20  // JSON values of one file
	maxDepth   = 16       // nesting of JSON values
	maxTasks   = 256      // tasks of a scenario
	maxObjects = 256      // objects of a scenario
	maxISRs    = 4096     // interrupts of a scenario
	maxScript  = 4096     // operations of one script
	maxEnd     = 1 << 20  // end tick
	maxCatchUp = 1 << 12  // ticks of one catchup
	maxMissed  = 1 << 20  // ticks of all catchups of a run
	maxLen     = 1 << 16  // items or bytes of an object
	maxName    = 128      // bytes of a name or id
)

// A ReadError says where a scenario file is malformed.
type ReadError struct {
	File         string // as given to Read
	Line, Column int    // from 1; zero if the file as a whole is meant
	Place        string // such as tasks[1].script[0].ticks; empty for the whole file
	Msg          string
}

func (e *ReadError) Error() string {
	var b strings.Builder
	b.WriteString("conformance: " + e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Place != "" {
		b.WriteString(": " + e.Place)
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	listNode
	objectNode
)

var nodeNames = [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}

func (k nodeKind) String() string { return nodeNames[k] }

// node is a JSON value that knows where it stands.
type node struct {
	kind   nodeKind
	text   string // of a number or string; "true" or "false" of a boolean
	elems  []*node
	keys   []string // of an object, one for each of elems
	parent *node
	index  int // in parent.elems
	offset int
}

// place names the node as a path from the root.
func (n *node) place() string {
	if n.parent == nil {
		return ""
	}
	up := n.parent.place()
	if n.parent.kind == listNode {
		return fmt.Sprintf("%s[%d]", up, n.index)
	}
	if up != "" {
		up += "."
	}
	key := n.parent.keys[n.index]
	if !plain(key) {
		return up + strconv.QuoteToASCII(shorten(key))
	}
	return up + shorten(key)
}

// parser builds nodes from the tokens of encoding/json, which checks the syntax.
type parser struct {
	file string
	data []byte
	dec  *json.Decoder
	left int // nodes that may still come
}

// parse returns the single JSON value of the file.
func (p *parser) parse() (*node, error) {
	if len(p.data) > MaxFile {
		return nil, &ReadError{File: p.file, Msg: fmt.Sprintf("more than %d bytes", MaxFile)}
	}
	if i := invalidUTF8(p.data); i >= 0 {
		return nil, p.errorAt(i, nil, fmt.Sprintf("byte %#02x is not UTF-8", p.data[i]))
	}
	p.dec = json.NewDecoder(bytes.NewReader(p.data))
	p.dec.UseNumber()
	p.left = maxNodes
	root, err := p.value(nil, 0, 0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, p.errorAt(p.start(int(p.dec.InputOffset())), nil, "something follows the scenario")
	}
	return root, nil
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1. The decoder would
// replace it.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

// value reads the next value.
func (p *parser) value(parent *node, index, depth int) (*node, error) {
	n := &node{parent: parent, index: index, offset: p.start(int(p.dec.InputOffset()))}
	if p.left--; p.left < 0 {
		return nil, p.errorAt(n.offset, parent, fmt.Sprintf("more than %d values in the file", maxNodes))
	}
	tok, err := p.token(n)
	if err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(tok)
	case json.Number:
		n.kind, n.text = numberNode, tok.String()
	case string:
		n.kind, n.text = stringNode, tok
	case json.Delim:
		if depth >= maxDepth {
			return nil, p.errorAt(n.offset, n, fmt.Sprintf("nested more than %d deep", maxDepth))
		}
		n.kind = listNode
		if tok == '{' {
			n.kind = objectNode
		}
		if err := p.elements(n, depth+1); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// elements reads what is inside a list or an object, and its end.
func (p *parser) elements(n *node, depth int) error {
	var seen map[string]bool
	if n.kind == objectNode {
		seen = map[string]bool{}
	}
	for p.dec.More() {
		if n.kind == objectNode {
			offset := p.start(int(p.dec.InputOffset()))
			tok, err := p.token(n)
			if err != nil {
				return err
			}
			key, _ := tok.(string)
			if seen[key] {
				return p.errorAt(offset, n, fmt.Sprintf("key %q twice", shorten(key)))
			}
			seen[key] = true
			n.keys = append(n.keys, key)
		}
		e, err := p.value(n, len(n.elems), depth)
		if err != nil {
			return err
		}
		n.elems = append(n.elems, e)
	}
	_, err := p.token(n)
	return err
}

func (p *parser) token(n *node) (json.Token, error) {
	tok, err := p.dec.Token()
	if err == nil {
		return tok, nil
	}
	offset, msg := int(p.dec.InputOffset()), strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		offset = max(int(syntax.Offset)-1, 0)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, msg = len(p.data), "unexpected end of file"
	}
	return nil, p.errorAt(offset, n, msg)
}

// start is the offset of the token that follows the one that ends at offset.
func (p *parser) start(offset int) int {
	for offset < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[offset]) >= 0 {
		offset++
	}
	return offset
}

func (p *parser) errorAt(offset int, n *node, msg string) error {
	e := &ReadError{File: p.file, Msg: msg}
	offset = min(offset, len(p.data))
	before := p.data[:offset]
	e.Line = bytes.Count(before, []byte{'\n'}) + 1
	e.Column = offset - bytes.LastIndexByte(before, '\n')
	if n != nil {
		e.Place = n.place()
	}
	return e
}

// shorten keeps foreign text in messages at a readable length.
func shorten(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
