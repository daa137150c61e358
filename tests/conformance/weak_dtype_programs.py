"""Programs over weak and strong dtypes, of which weak_dtype_cases.py shows what they assign to `result`."""

PROGRAMS = {
    "variable": """
        v = tf.Variable(wf32); w = tf.Variable(1); u = tf.Variable(1.0, dtype=tf.float16)
        result = [v.dtype, w.dtype, v + 1, v + wi32, u + 1.5, u * wf32, 1 - v, wf32 / v, u + i8, abs(v), v == 1, v < 2, w + 1.5]
    """,
    "assign": """
        v = tf.Variable([1.0, 2.0]); v.assign(wf32); v.assign_add(wi32); v.assign_sub([1, 1]); v.assign([3, 4.5])
        result = v.value()
    """,
    "assign results": """
        v = tf.Variable(1.0); result = [v.assign(2), v.assign_add(1.5), v.assign_sub(tf.constant(1))]
    """,
    "assign of int": "v = tf.Variable([1, 2]); result = v.assign(wf32)",
    "assign_add of float64": "v = tf.Variable([1.0, 2.0]); result = v.assign_add(f64)",
    "assign_sub of int8": "v = tf.Variable([1.0, 2.0]); v.assign_sub(i8); result = v.value()",
    "assign of int32": "v = tf.Variable([1.0, 2.0]); v.assign(i32); result = v.value()",
    "assign of float16": "v = tf.Variable(f16); v.assign_add(1); v.assign_add(wf64); v.assign_add(2.5); result = v.value()",
    "assign of complex": "v = tf.Variable([1.0, 2.0]); result = v.assign(2j)",
    "variable of variable": "result = tf.Variable(tf.Variable(1)) + 1.5",
    "variable dtype": "result = tf.Variable(wi32, dtype=tf.float16).value()",
    "function": """
        @tf.function
        def f(x, y):
            return x + y, x * 2, y
        result = [f(wf32, f16), f(f16, wf32), f(wi32, wf32), f(i32, wi32)]
    """,
    "numbers that a function returns": "result = tf.function(lambda x, y: (x + y, y))(1, 2.5)",
    "function traces": """
        runs = []
        @tf.function
        def f(x):
            runs.append(x.dtype)
            return x + 1
        f(wf32); f(tf.constant([5.0, 6.0])); f(f32); f(wi32); f(i32)
        result = runs
    """,
    "inside": """
        seen = []
        @tf.function
        def f(x):
            c = tf.constant(2.5)
            seen.extend([type(x).__name__, type(c).__name__, type(x + 1).__name__, type(c * x).__name__, type(f32 + c).__name__])
            return c
        result = [f(wf32), seen, type(f(wf32)).__name__]
    """,
    "inside texts": """
        seen = []
        @tf.function
        def f(x):
            seen.extend([x.dtype, x.shape, tf.is_tensor(x), hasattr(x, 'numpy'), isinstance(x, tf.Tensor)])
            return x.shape[0] * x
        result = [f(wi32), seen]
    """,
    "traced iteration": """
        @tf.function(autograph=False)
        def f(x):
            return [y for y in x]
        result = f(wi32)
    """,
    "traced loop over": """
        @tf.function
        def f(x):
            total = tf.constant(0)
            for y in x:
                total += y
            return total
        result = f(wi32)
    """,
    "numbers of cond": "result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2))()",
    "numbers of cond with a float": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: [1, 2.0], lambda: [3, 4.0]))()
    """,
    "cond of a number and a strong tensor": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: tf.constant(2, tf.int64)))()
    """,
    "numbers of cond plus int8": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2) + tf.constant(1, tf.int8))()
    """,
    "numbers of case": """
        result = tf.function(lambda: tf.case([(tf.constant(False), lambda: 1.0)], default=lambda: 2.0))()
    """,
    "numbers of switch_case": """
        result = tf.function(lambda: tf.switch_case(tf.constant(1, tf.int32), [lambda: 1, lambda: 2]) + tf.constant(1, tf.int8))()
    """,
    "eager numbers of cond": "result = tf.cond(tf.constant(True), lambda: 1, lambda: 2)",
    "autograph if": """
        @tf.function
        def f(x):
            if x[0] > 2:
                y = x * 2
            else:
                y = x - 1
            return y
        result = [f(wf32), f(f32), f(wi32)]
    """,
    "autograph if of two kinds": """
        @tf.function
        def f(x):
            if x[0] > 2:
                y = x * 2
            else:
                y = f32
            return y
        result = f(wf32)
    """,
    "numbers of if": """
        @tf.function
        def f(x):
            if x[0] > 1:
                y, z = 1, [1.5, 2]
            else:
                y, z = 2, [2.5, 3]
            return y, z, f16 * y, x * z[0]
        result = [f(f32), f(wf32)]
    """,
    "numbers returned by branches": """
        @tf.function
        def f(x):
            if x[0] > 1:
                return 1
            return 2
        result = [f(f32), f(wf32)]
    """,
    "number of if beside the one before": """
        @tf.function
        def f(x):
            y = 0
            if x[0] > 1:
                y = 1
            return y
        result = f(f32)
    """,
    "if of a number and a strong tensor": """
        @tf.function
        def f(x):
            if x[0] > 1:
                y = x
            else:
                y = 1.0
            return y
        f(f32)
    """,
    "if of a number and a weak tensor": """
        @tf.function
        def f(x):
            y = tf.constant(1)
            if x[0] > 1:
                y = y + 1
            return y
        result = f(f32)
    """,
    "autograph while": """
        @tf.function
        def f(x):
            i = tf.constant(0)
            while i < 3:
                x = x + 1
                i += 1
            return x, i
        result = [f(wf32), f(f32), f(f16)]
    """,
    "cond": "result = [tf.cond(True, lambda: wf32, lambda: wf32 + 1), tf.cond(f32[0] > 5, lambda: wi32 * 2, lambda: wi32)]",
    "traced cond": """
        result = tf.function(lambda p: tf.cond(p, lambda: wf32 * 2, lambda: wf32))(tf.constant(True))
    """,
    "while_loop": """
        result = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (tf.constant(0), wf32))
    """,
    "traced while_loop": """
        result = tf.function(lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, x)))(wf32)
    """,
    "sizes in functions": """
        @tf.function
        def f(n):
            two = tf.constant(2)
            return tf.zeros(tf.constant([2, 1])), tf.ones([two, 1]), tf.zeros(n), tf.fill([two, n], 1.5)
        result = f(tf.constant(3))
    """,
    "numbers in results": """
        @tf.function
        def f(x):
            return {"a": [1, x * 2.5], "b": (True, 2j, None)}, "text", np.float32(3)
        result = f(wi32)
    """,
    "random numbers of numpy": """
        random = tnp.random
        result = [x.dtype for x in (random.rand(2), random.randn(2), random.random(), random.uniform(1, 2), random.standard_normal())]
        result += [random.poisson(2.0).dtype, random.randint(3).dtype, tnp.zeros(2, None).dtype, tnp.empty(2, None).dtype]
    """,
    "map_fn": "result = tf.map_fn(lambda x: x * 2, wf32)",
    "scan": "result = tf.scan(lambda a, x: a + x, f32)",
    "vectorized_map": "result = tf.vectorized_map(lambda x: x * 2, f32)",
    "switch_case": "result = tf.switch_case(1, [lambda: wf32, lambda: wf32 + 1])",
    "case": "result = tf.case([(f32[0] > 5, lambda: wf32)], default=lambda: wf32 * 3)",
    "gradient": """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        result = [y, tape.gradient(y, x)]
    """,
    "gradient of strong": """
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(f16)
            y = f16 * 2.5 + wf32
            z = y * 3
        result = [y, tape.gradient(y, f16), tape.gradient(z, [f16])]
    """,
    "gradient of variable": """
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v * 3 + wi32)
        result = [y, tape.gradient(y, v)]
    """,
    "gradient of both": """
        x = tf.constant(2.0); v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x ** 2 * v
        result = tape.gradient(y, {"x": x, "v": v})
    """,
    "gradient through cast": """
        with tf.GradientTape() as tape:
            tape.watch(wf32)
            y = wf32 * f64
        result = [y, tape.gradient(y, wf32)]
    """,
    "gradient in function": """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * 2
            return tape.gradient(y, x)
        result = [f(wf32), f(f32)]
    """,
    "gradient of function": """
        f = tf.function(lambda x: x * x * 2)
        with tf.GradientTape() as tape:
            tape.watch(wf32)
            y = f(wf32)
        result = tape.gradient(y, wf32)
    """,
    "gradient of weak target alone": """
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(3.0)
        result = tape.gradient(y, v)
    """,
    "jacobian": """
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f32 * f32 * wi32
        result = tape.jacobian(y, f32)
    """,
    "output gradients": """
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f32 * 2
        result = tape.gradient(y, f32, output_gradients=wf32)
    """,
    "dataset": """
        result = [x for x in tf.data.Dataset.from_tensor_slices(wf32).map(lambda x: x + 1)]
    """,
    "dataset of numbers": "result = [x for x in tf.data.Dataset.range(2).map(lambda x: x * 2)]",
    "spec": """
        spec = wf32._type_spec
        result = [type(spec).__name__, spec.value_type.__name__, spec == tf.constant([7.0, 8.0])._type_spec,
                  spec == wi32._type_spec, spec.is_compatible_with(wf32), spec.is_compatible_with(wi32),
                  spec._to_components(wf32), spec._from_components([f32]), repr(spec)]
    """,
    "signature": """
        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def f(x):
            return x + 1
        result = [f(f32), f([1, 2.5]), f(wf32)]
    """,
    "signature of weak": """
        f = tf.function(lambda x: x + 1, input_signature=[wf32._type_spec])
        result = [f(wf32), f(tf.constant([8.0, 9.0]))]
    """,
    "concrete": "result = tf.function(lambda x: x + 1).get_concrete_function(wf32)(wf32)",
    "not allowed": "result = type(wf32).from_tensor(f16)",
    "not allowed bool": "result = type(wf32)(b8)",
    "made": "W = type(wf32); result = [W(f32), W.from_tensor(f32), W.from_tensor(i64), W([1.5, 2.5])]",
    "made of number": "result = type(wf32).from_tensor(1.5)",
    "immutable": "wf32.tensor = f32",
    "big int": "result = tf.constant(2 ** 40)",
    "big int in operator": "result = i64 + 2 ** 40",
    "big int with dtype": "result = tf.constant(2 ** 40, tf.int64)",
    "strings": "result = [tf.constant('a'), tf.constant(['a', 'b']) + 'c', tf.constant('a') == 'a']",
    "string and number": "result = tf.constant('a') + 1",
    "bool": "result = [tf.constant(True), tf.constant(True) + 1, tf.constant([True, False]) * 1.5, b8 & True, ~b8, b8 * b8]",
    "none": "result = tf.constant(None)",
    "nested": "result = [tf.constant([[1, 2], [3, 4]]), tf.constant([[1, 2.5]]), tf.constant((1, 2j)), tf.constant([])]",
    "mixed lists": "result = [tf.constant([1, wf32[0]]), tf.stack([1.0, wi32[0]]), tf.constant([f32[0], 1])]",
    "of numpy": "result = [tf.constant(np.float32(1)), tf.constant(np.array([1, 2])), tf.constant([np.float32(1), 2])]",
    "of range": "result = [tf.constant(range(3)), tnp.array(range(3))]",
    "sums": "result = [sum([wf32, f16]), sum([1, wf32]), max(wi32[0], wi32[1])]",
    "chain": "result = tf.nn.relu(wf32 * f16 + 1.5) ** 2 / 3",
    "sparse": "result = tf.abs(tf.sparse.from_dense([[1.0, 0.0]])).values",
    "ragged": "result = [tf.abs(tf.ragged.constant([[-1.0]])), tf.ragged.constant([[1.0]]) + 1]",
    "mode twice": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
        result = [tf.constant(1), wf32 + f16]
    """,
    "mode off": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
        try:
            result = [tf.constant(1), tf.abs(2.0), tf.add(1, 2), f32 + 1]
        finally:
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
    """,
    "mode legacy": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="legacy")
        try:
            result = [tf.constant(1), tf.abs(2.0), tf.add(1, 2), f32 + i32, f16 + 1.5, tnp.array(1), tnp.add(1, 2.5)]
        finally:
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
    """,
    "mode unknown": "tnp.experimental_enable_numpy_behavior(dtype_conversion_mode='x')",
    "keyword": "result = [tf.abs(x=wf32), tf.add(x=wf32, y=f16, name='n'), tf.reduce_sum(input_tensor=wf32), tf.constant(value=1)]",
    "names": "result = [tf.abs(wf32, 'n'), tf.abs(wf32, name='n'), tf.constant(1.0, name='n')]",
    "wrong keyword": "tf.abs(wf32, zz=1)",
    "missing argument": "tf.add(wf32)",
    "compat": """
        v1 = tf.compat.v1
        result = [v1.abs(wf32), v1.reduce_sum(wf32), v1.constant(1), v1.expand_dims(wf32, 0), v1.zeros_like(wf32),
                  v1.transpose(wf32), v1.squeeze(wf32), tf.compat.v2.abs(wf32), v1.nn.log_softmax(wf32)]
    """,
    "tensor array": "result = tf.TensorArray(tf.float32, 2).write(0, wf32[0]).write(1, 2.0).stack()",
    "custom gradient": """
        @tf.custom_gradient
        def f(x):
            return x * 2, lambda dy: dy * 7
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f(f32)
        result = [y, tape.gradient(y, f32)]
    """,
    "py_function": "result = tf.py_function(lambda x: x + 1, [wf32], tf.float32)",
    "numpy_function": "result = tf.numpy_function(lambda x: x * 2, [wf32], tf.float32)",
    "asserts": "tf.debugging.assert_equal(wf32, f32 * 1.0); result = 'passed'",
    "assert of weak": "tf.debugging.assert_equal(wf32, wf32 + 0); tf.debugging.assert_greater(wf32, 0.0); result = 'passed'",
    "slices": "result = [f32[tf.constant(0)], f32[wi], f32[:wi], tf.gather(f32, wi)]",
    "shapes": "result = [tf.zeros(wi32).shape, tf.reshape(f32, wi32[0] - 1), tf.ones([wi32[0]]), tf.range(wi)]",
    "axis": "result = [tf.reduce_sum(m32, wi), tf.concat([f32, f32], tf.constant(0)), tf.expand_dims(f32, tf.constant(0))]",
    "dispatch": """
        class M(tf.experimental.ExtensionType):
            v: tf.Tensor
        @tf.experimental.dispatch_for_api(tf.abs, {"x": M})
        def absolute(x, name=None):
            return M(tf.abs(x.v))
        result = tf.abs(M([-1.5])).v
    """,
    "dispatch of elementwise functions": """
        class M(tf.experimental.ExtensionType):
            v: tf.Tensor
        @tf.experimental.dispatch_for_unary_elementwise_apis(M)
        def apply(api, x):
            return M(api(x.v))
        result = [tf.exp(M([0.0])).v, tf.nn.relu(M([-1.0])).v]
    """,
    "module": """
        class M(tf.Module):
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
                self.c = tf.constant(2.0)
            @tf.function
            def __call__(self, x):
                return x * self.w + self.c
        result = [M()(f32), M()(wf32), M()(2.0)]
    """,
}
