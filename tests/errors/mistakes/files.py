# === bytes_that_are_no_image: 6 lines
# says: Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.
tf.io.decode_jpeg(b"no image")  # here

# === missing_feature_of_an_example: 6 lines
# says: Feature: age (data type: int64) is required but could not be found.
record = tf.train.Example().SerializeToString()
tf.io.parse_single_example(record, {"age": tf.io.FixedLenFeature([], tf.int64)})  # here

# === text_as_a_feature_of_bytes: 6 lines
# says: expected bytes, str found
tf.train.Feature(bytes_list=tf.train.BytesList(value=["text"]))  # here

# === table_that_nobody_holds: 10 lines
# says: Trackable referencing this tensor = <tracefn.ops.tables.StaticHashTable object
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
model = tf.Module()
model.find = tf.function(table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
tf.saved_model.save(model, "model")  # here

# === loaded_function_of_another_shape: 12 lines
# says: Can not cast TensorSpec(shape=(3,), dtype=tf.float32, name=None) to TensorSpec(shape=(2,), dtype=tf.float32, name=None)
model = tf.Module()
model.double = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2])])
tf.saved_model.save(model, "model")
tf.saved_model.load("model").double(tf.ones([3]))  # here

# === loaded_function_without_traces: 6 lines
# says: Found zero restored functions for caller function.
model = tf.Module()
model.double = tf.function(lambda x: x * 2)
tf.saved_model.save(model, "model")
tf.saved_model.load("model").double(tf.ones([3]))  # here

# === signature_with_an_unknown_name: 8 lines
# says: Fallback to flat signature also failed due to: signature_wrapper
model = tf.Module()
model.double = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2], name="x")])
tf.saved_model.save(model, "model")
tf.saved_model.load("model").signatures["serving_default"](y=tf.ones([2]))  # here

# === checkpoint_of_another_shape: 12 lines
# says: Received incompatible tensor with shape (1,) when attempting to restore variable with shape (2,)
path = tf.train.Checkpoint(v=tf.Variable([1.0])).save("saved")
tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(path)  # here

# === checkpoint_of_other_names: 12 lines
# says: not bound to checkpointed values
path = tf.train.Checkpoint(weights=tf.Variable([1.0])).save("saved")
tf.train.Checkpoint(w=tf.Variable([1.0])).restore(path).assert_consumed()  # here

# === checkpoint_that_is_missing: 6 lines
# says: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /nonexistent/ckpt-1
tf.train.Checkpoint(v=tf.Variable([1.0])).restore("/nonexistent/ckpt-1")  # here

# === table_of_other_keys: 6 lines
# says: Dtype of argument `keys` must be <dtype: 'string'>
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
table.lookup(tf.constant([1]))  # here
