// Command schematic tells what the Image Factory's own library makes of the files that it is given:
// one JSON object per file, with the ID and the canonical form, or with the error.
package main

import (
	"encoding/json"
	"os"

	"github.com/siderolabs/image-factory/pkg/schematic"
)

type answer struct {
	File  string `json:"file"`
	ID    string `json:"id,omitempty"`
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

func judge(file string) answer {
	result := answer{File: file}
	data, err := os.ReadFile(file)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	read, err := schematic.Unmarshal(data)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	text, err := read.Marshal()
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Text = string(text)
	if result.ID, err = read.ID(); err != nil {
		result.Error = err.Error()
	}
	return result
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, file := range os.Args[1:] {
		if err := out.Encode(judge(file)); err != nil {
			os.Exit(1)
		}
	}
}
