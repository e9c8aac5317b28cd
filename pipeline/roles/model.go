package roles

import (
	"context"

	"parley/pipeline/spec"
)

func (j *job) model(ctx context.Context, r Reading, d *Discovery) error        { return nil }
func (j *job) modelBrief(ctx context.Context, u upstream, b *spec.Brief) error { return nil }
func (j *job) modelRequirements(ctx context.Context, u upstream, r *spec.Requirements) error {
	return nil
}
func (j *job) modelArchitecture(ctx context.Context, u upstream, a *spec.Architecture) error {
	return nil
}
func (j *job) modelEpics(ctx context.Context, u upstream, e *spec.Epics) error { return nil }
