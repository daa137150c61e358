"""CPython's own tests, each test function converted: the results must be those of the unconverted functions.

The modules are those of the interpreter that runs the tests, where it has them. What is skipped stands in
cpython_skips.txt, each line with its reason.
"""

import pytest
from support import cpython_suite


@pytest.mark.parametrize("name", cpython_suite.MODULES)
@pytest.mark.filterwarnings("ignore")
def test_converted_functions_do_what_python_does(name):
    if not cpython_suite.is_installed(name):
        pytest.skip("the interpreter comes without its tests")
    totals = cpython_suite.run(name)
    assert not totals.different, f"{len(totals.different)} differ:\n" + "\n".join(map(str, totals.different))
    assert totals.same
