"""tf.errors: constructors, texts, codes, pickling."""

import copy
import pickle


def setup(tf):
    class FakeOp:
        name = "myop"
        node_def = None
        type = "X"
        traceback = ()
        _original_op = None

    def rt(error):
        return pickle.loads(pickle.dumps(error))

    return {"tf": tf, "copy": copy, "FakeOp": FakeOp, "rt": rt}


EXPRESSIONS = r"""
str(tf.errors.NotFoundError(None,None,"hi"))
repr(tf.errors.NotFoundError(None,None,"hi"))
tf.errors.NotFoundError(None,None,"hi").args
tf.errors.NotFoundError(None,None,"hi").error_code
tf.errors.NotFoundError(None,None,"hi").message
tf.errors.NotFoundError(None,None,"hi").node_def
tf.errors.NotFoundError(None,None,"hi").op
tf.errors.NotFoundError(None,None,"hi").experimental_payloads
tf.errors.NotFoundError(None,None,"hi",{"a":"b"}).experimental_payloads
tf.errors.NotFoundError(None,None,b"hi").message
tf.errors.NotFoundError(None,None,None).message
str(tf.errors.NotFoundError(None,None,None))
tf.errors.NotFoundError(None,None,3).message
tf.errors.NotFoundError(None,FakeOp(),"hi").op.name
str(tf.errors.NotFoundError(None,FakeOp(),"hi"))
tf.errors.NotFoundError()
tf.errors.NotFoundError("hi")
tf.errors.OpError(None,None,"hi")
tf.errors.OpError(None,None,"hi",3).error_code
repr(tf.errors.OpError(None,None,"hi",3))
tf.errors.OpError(None,None,"hi",3,{"k":1}).experimental_payloads
tf.errors.OpError(None,None,"hi",99).error_code
repr(rt(tf.errors.NotFoundError(None,None,"hi",{'q':1})))
rt(tf.errors.NotFoundError(None,None,"hi",{'q':1})).experimental_payloads
rt(tf.errors.OpError(None,None,"hi",3)).error_code
rt(tf.errors.NotFoundError(None,None,"hi")).message
copy.copy(tf.errors.AbortedError(None,None,"x")).message
str(tf.errors.OperatorNotAllowedInGraphError("a"))
setattr(tf.errors.NotFoundError(None,None,"hi"),"message","x")
tf.errors.NotFoundError(None,None,message="hi").message
tf.errors.NotFoundError(node_def=1,op=None,message="hi").node_def
[n for n in dir(tf.errors) if n[0].isupper() and n != "InaccessibleTensorError"]
[getattr(tf.errors, n) for n in dir(tf.errors) if n.isupper() and n[0] != '_']
[(n, c.__bases__[0].__name__, c(None, None, "m").error_code) for n, c in sorted(vars(tf.errors).items()) if isinstance(c, type) and issubclass(c, tf.errors.OpError) and c is not tf.errors.OpError]
[c.__name__ for c in tf.errors.OperatorNotAllowedInGraphError.__mro__]
"""
