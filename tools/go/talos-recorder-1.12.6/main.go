// Command talos-recorder stands between a client of the Talos API and its nodes. It decodes every
// request with the message types of Talos itself and writes it down as one line of JSON.
//
// usage: talos-recorder -secrets FILE -output FILE LISTEN=NODE... [pass LISTEN=NODE...]
//
// LISTEN and NODE are addresses with ports. After the word pass, connections are passed on as they are. The
// client gets a copy of the node's certificate with a key of ours: signed by the CA of the secrets
// if the node's certificate is, else by itself. One connection of a client is one
// connection to the node, and what is inside goes through unchanged, so that resets, pings and
// lost connections reach the other side as they are.
//
// A line has the method, the headers, the request with every field that is set, and the fields that
// Talos does not know in hex. A second line has the answer's code once the call is over.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"gopkg.in/yaml.v3"

	_ "github.com/cosi-project/runtime/api/v1alpha1"
	_ "github.com/siderolabs/talos/pkg/machinery/api/cluster"
	_ "github.com/siderolabs/talos/pkg/machinery/api/inspect"
	_ "github.com/siderolabs/talos/pkg/machinery/api/machine"
	_ "github.com/siderolabs/talos/pkg/machinery/api/storage"
	_ "github.com/siderolabs/talos/pkg/machinery/api/time"
)

// The journal of all connections.

type journal struct {
	mu  sync.Mutex
	out *json.Encoder
}

type entry struct {
	Method  string              `json:"method"`
	Headers map[string][]string `json:"headers,omitempty"`
	Request json.RawMessage     `json:"request,omitempty"`
	Unknown []string            `json:"unknown,omitempty"`
	Error   string              `json:"error,omitempty"`
	Code    *string             `json:"code,omitempty"`
	Text    string              `json:"text,omitempty"`
}

func (j *journal) add(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.out.Encode(e); err != nil {
		log.Fatalf("cannot write a line: %v", err)
	}
}

// Messages.

func requestOf(method string) (proto.Message, error) {
	service, name, found := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	if !found {
		return nil, fmt.Errorf("no method name: %q", method)
	}
	known, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, err
	}
	described, ok := known.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is no service", service)
	}
	call := described.Methods().ByName(protoreflect.Name(name))
	if call == nil {
		return nil, fmt.Errorf("%s has no method %s", service, name)
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(call.Input().FullName())
	if err != nil {
		return nil, err
	}
	return kind.New().Interface(), nil
}

// unknownFields has one "PATH HEX" for every message that holds fields of no name.
func unknownFields(path string, message protoreflect.Message) []string {
	var found []string
	if extra := message.GetUnknown(); len(extra) > 0 {
		found = append(found, path+" "+hex.EncodeToString(extra))
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		below := path + "." + string(field.Name())
		switch {
		case field.Kind() != protoreflect.MessageKind || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				found = append(found, unknownFields(below, value.List().Get(i).Message())...)
			}
		default:
			found = append(found, unknownFields(below, value.Message())...)
		}
		return true
	})
	return found
}

func describe(method string, headers map[string][]string, body []byte) entry {
	line := entry{Method: method, Headers: headers}
	message, err := requestOf(method)
	if err == nil {
		err = proto.Unmarshal(body, message)
	}
	var text []byte
	if err == nil {
		line.Unknown = unknownFields("", message.ProtoReflect())
		text, err = protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	}
	var plain bytes.Buffer
	if err == nil {
		err = json.Compact(&plain, text)
	}
	if err != nil {
		line.Error = fmt.Sprintf("%v in %s", err, hex.EncodeToString(body))
		return line
	}
	line.Request = plain.Bytes()
	return line
}

// One connection.

type call struct {
	method  string
	headers map[string][]string
	body    []byte
}

type conversation struct {
	journal *journal
	mu      sync.Mutex
	calls   map[uint32]*call
}

func newFramer(in io.Reader) *http2.Framer {
	framer := http2.NewFramer(io.Discard, in)
	framer.SetMaxReadFrameSize(1<<24 - 1)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	framer.ReadMetaHeaders.SetAllowedMaxDynamicTableSize(1 << 20)
	return framer
}

// each hands every frame over until the stream ends; a broken one is written down.
func (c *conversation) each(who string, in io.Reader, handle func(http2.Frame)) {
	framer := newFramer(in)
	for {
		frame, err := framer.ReadFrame()
		var stream http2.StreamError
		if errors.As(err, &stream) {
			c.journal.add(entry{Error: fmt.Sprintf("the %s: %v", who, err)})
			continue
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
				!errors.Is(err, io.ErrClosedPipe) {
				c.journal.add(entry{Error: fmt.Sprintf("the %s: %v", who, err)})
			}
			return
		}
		handle(frame)
	}
}

func (c *conversation) hearClient(in io.Reader) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(in, preface); err != nil {
		return
	}
	c.each("client", in, func(frame http2.Frame) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			begun := &call{headers: map[string][]string{}}
			for _, field := range frame.Fields {
				if field.Name == ":path" {
					begun.method = field.Value
				} else {
					begun.headers[field.Name] = append(begun.headers[field.Name], field.Value)
				}
			}
			c.calls[frame.StreamID] = begun
		case *http2.DataFrame:
			if known := c.calls[frame.StreamID]; known != nil {
				c.receive(known, frame.Data())
			}
		}
	})
}

func (c *conversation) receive(known *call, data []byte) {
	known.body = append(known.body, data...)
	for len(known.body) >= 5 {
		size := int(binary.BigEndian.Uint32(known.body[1:5]))
		if len(known.body) < 5+size {
			return
		}
		line := describe(known.method, known.headers, known.body[5:5+size])
		if known.body[0] != 0 {
			line = entry{Method: known.method, Error: "the message is compressed"}
		}
		c.journal.add(line)
		known.body = known.body[5+size:]
	}
}

func (c *conversation) hearNode(in io.Reader) {
	c.each("node", in, func(frame http2.Frame) {
		headers, ok := frame.(*http2.MetaHeadersFrame)
		if !ok {
			return
		}
		var code *string
		text := ""
		for _, field := range headers.Fields {
			switch field.Name {
			case "grpc-status":
				code = &field.Value
			case "grpc-message":
				text = field.Value
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		// The answer may come before the request's message, so the call is kept.
		if known := c.calls[headers.StreamID]; known != nil && code != nil {
			c.journal.add(entry{Method: known.method, Code: code, Text: text})
		}
	})
}

// copyAndHear passes bytes on and lets somebody listen. It ends with the connection.
func copyAndHear(to io.Writer, from io.Reader, hear func(io.Reader)) {
	heard, copied := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		hear(heard)
		_, _ = io.Copy(io.Discard, heard) // whoever stops listening does not stop the bytes
	}()
	// First to the listener: what the other side answers to is written down before the answer.
	_, _ = io.Copy(io.MultiWriter(copied, to), from)
	copied.Close()
	<-done
}

// Certificates.

type authority struct {
	certificate *x509.Certificate
	key         any
	admin       tls.Certificate
	mu          sync.Mutex
	copies      map[string]tls.Certificate
}

func (a *authority) sign(template *x509.Certificate, bySelf bool) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	parent, signer := a.certificate, a.key
	if bySelf {
		parent, signer = template, any(key)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// copyOf is the node's certificate with a key of ours, for this address too. The same certificate
// has the same copy: a new key tells clients of a new boot.
func (a *authority) copyOf(leaf *x509.Certificate, address net.IP) (tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	digest := sha256.Sum256(leaf.Raw)
	name := string(digest[:]) + address.String()
	if known, ok := a.copies[name]; ok {
		return known, nil
	}
	template := &x509.Certificate{
		SerialNumber: leaf.SerialNumber, Subject: leaf.Subject, NotBefore: leaf.NotBefore,
		NotAfter: leaf.NotAfter, KeyUsage: leaf.KeyUsage, ExtKeyUsage: leaf.ExtKeyUsage,
		DNSNames: leaf.DNSNames, IPAddresses: append([]net.IP{address}, leaf.IPAddresses...),
		BasicConstraintsValid: leaf.BasicConstraintsValid, IsCA: leaf.IsCA,
	}
	made, err := a.sign(template, leaf.CheckSignatureFrom(a.certificate) != nil)
	if err == nil {
		a.copies[name] = made
	}
	return made, err
}

func readAuthority(path string) (*authority, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var secrets struct {
		Certs struct {
			OS struct {
				Crt string `yaml:"crt"`
				Key string `yaml:"key"`
			} `yaml:"os"`
		} `yaml:"certs"`
	}
	if err := yaml.Unmarshal(text, &secrets); err != nil {
		return nil, err
	}
	crt, err := fromPEM(secrets.Certs.OS.Crt)
	if err != nil {
		return nil, err
	}
	key, err := fromPEM(secrets.Certs.OS.Key)
	if err != nil {
		return nil, err
	}
	result := &authority{copies: map[string]tls.Certificate{}}
	if result.certificate, err = x509.ParseCertificate(crt); err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	result.key = parsed
	result.admin, err = result.sign(&x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{Organization: []string{"os:admin"}},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, false)
	return result, err
}

func fromPEM(base string) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(base)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the secrets hold no PEM block")
	}
	return block.Bytes, nil
}

// The front.

type front struct {
	authority *authority
	journal   *journal
	pass      bool
}

// abort closes a connection as a process that died would.
func abort(connection net.Conn) {
	if plain, ok := connection.(*net.TCPConn); ok {
		_ = plain.SetLinger(0)
	}
	connection.Close()
}

func (f *front) serve(client net.Conn, node string) {
	upstream, err := net.Dial("tcp", node)
	if err != nil {
		abort(client)
		return
	}
	if f.pass {
		join(client, upstream)
		return
	}
	asked := false
	inside := tls.Client(upstream, &tls.Config{
		InsecureSkipVerify: true, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			asked = true
			return &f.authority.admin, nil
		},
	})
	if err := inside.Handshake(); err != nil {
		upstream.Close()
		abort(client)
		return
	}
	address := client.LocalAddr().(*net.TCPAddr).IP
	shown, err := f.authority.copyOf(inside.ConnectionState().PeerCertificates[0], address)
	if err != nil {
		log.Fatalf("cannot copy the certificate of %s: %v", node, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{shown}, NextProtos: []string{"h2"},
		MinVersion: tls.VersionTLS13}
	if asked {
		config.ClientAuth = tls.RequireAnyClientCert
	}
	outside := tls.Server(client, config)
	if err := outside.Handshake(); err != nil {
		upstream.Close()
		abort(client)
		return
	}
	talk := &conversation{journal: f.journal, calls: map[uint32]*call{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyAndHear(outside, inside, talk.hearNode)
		outside.Close()
	}()
	copyAndHear(inside, outside, talk.hearClient)
	inside.Close()
	<-done
}

func join(one, other net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(one, other)
		one.Close()
	}()
	_, _ = io.Copy(other, one)
	other.Close()
	<-done
}

func main() {
	secrets := flag.String("secrets", "", "the cluster's secrets.yaml")
	output := flag.String("output", "", "the file for the lines")
	flag.Parse()
	ca, err := readAuthority(*secrets)
	if err != nil {
		log.Fatalf("cannot read the CA of %s: %v", *secrets, err)
	}
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	lines := &journal{out: json.NewEncoder(file)}
	pass := false
	for _, word := range flag.Args() {
		if word == "pass" {
			pass = true
			continue
		}
		listen, node, found := strings.Cut(word, "=")
		if !found {
			log.Fatalf("%q is not LISTEN=NODE", word)
		}
		listener, err := net.Listen("tcp", listen)
		if err != nil {
			log.Fatal(err)
		}
		go func(f *front) {
			for {
				client, err := listener.Accept()
				if err != nil {
					log.Fatal(err)
				}
				go f.serve(client, node)
			}
		}(&front{authority: ca, journal: lines, pass: pass})
	}
	fmt.Println("ready")
	// Whoever started the recorder holds its input open.
	_, _ = io.Copy(io.Discard, os.Stdin)
}
