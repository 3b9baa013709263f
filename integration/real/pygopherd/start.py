# Starts pygopherd as its package does, with the modules of the package where they
# are: unpacked, they are not where Python looks.
import runpy
import sys

sys.path.insert(0, "${UNPACKED}/usr/lib/python3/dist-packages")
sys.argv = ["pygopherd", "${OWN}/pygopherd.conf"]
runpy.run_path("${UNPACKED}/usr/sbin/pygopherd", run_name="__main__")
