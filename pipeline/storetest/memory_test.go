package storetest_test

import (
	"testing"

	"parley/pipeline/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, o storetest.Options) storetest.Store { return storetest.NewMemory(o) })
}
