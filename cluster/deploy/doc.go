// Package deploy has no code: beside it are units of systemd, a manifest of Kubernetes, and the image of
// docker-compose.cluster.yml, and its test checks them.
package deploy
