"""The WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from gpucompare.allocator import few_heaps
from gpucompare.statements import bound_statements

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")
application = get_wsgi_application()
few_heaps()
# Only here: a refresh or a migration may take its time, a reader has none.
bound_statements()

# What is loaded by now stays for good. The collector would go through all of it whenever a large
# page has made enough objects of its own: that took a quarter of the page of a check.
gc.collect()
gc.freeze()
# A page makes thousands of objects and drops them all: after every 700, as is usual, it would be
# looked through dozens of times for rings of garbage that it hardly ever has.
gc.set_threshold(20_000, 20, 20)
