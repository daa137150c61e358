"""`tf.SparseTensor` and its functions, a subject per file. Importing this package gives the class its operators, and lets
public functions take SparseTensors."""

from tracefn.ops.sparse import operators

operators.register()
