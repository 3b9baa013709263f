package cluster

import "crypto/rand"

// anyBoot takes the place of the name of a boot where the system has none.
var anyBoot = rand.Text()
