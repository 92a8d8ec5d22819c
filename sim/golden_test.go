package sim_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwake/rtos/internal/story"
)

var rewrite = flag.Bool("rewrite", false, "write the transcripts of testdata/*.txt anew")

const rule = "----\n"

// Every file of testdata is a story, a rule, and the transcript of it.
func TestStoriesAreToldAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			text, want, found := strings.Cut(string(data), rule)
			require.True(t, found || *rewrite, "no line of dashes")
			s, err := story.Read(file, text)
			require.NoError(t, err)
			got, err := s.Run()
			require.NoError(t, err)
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(text+rule+got), 0o600))
				return
			}
			assert.Equal(t, want, got)
		})
	}
}
