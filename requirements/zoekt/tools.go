//go:build tools

package tools

import (
	_ "github.com/sourcegraph/zoekt/cmd/zoekt-index"
	_ "github.com/sourcegraph/zoekt/cmd/zoekt-webserver"
)
