# === arrays_of_different_lengths: 6 lines
# says: Dimensions 3 and 4 are not compatible
tf.data.Dataset.from_tensor_slices((tf.zeros([3]), tf.zeros([4])))  # here

# === generator_that_runs_already: 6 lines
# says: `generator` must be a Python callable.
def rows():
    yield 1

tf.data.Dataset.from_generator(rows(), output_signature=tf.TensorSpec([], tf.int32))  # here

# === generator_of_another_shape: 12 lines
# says: `generator` yielded an element of shape (2,) where an element of shape (3,) was expected.
def rows():
    yield [1, 2]

for row in tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([3], tf.int32)):  # here
    print(row)

# === generator_of_another_structure: 12 lines
# says: The expected structure was (tf.int32, tf.int32), but the yielded element was [1, 2].
def rows():
    yield [1, 2]

pair = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
for row in tf.data.Dataset.from_generator(rows, output_signature=pair):  # here
    print(row)

# === generator_that_fails: 12 lines
# says: KeyError: 'bad row'
def rows():
    yield 1
    raise KeyError("bad row")  # here

for row in tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([], tf.int32)):
    print(row)

# === pairs_mapped_by_a_function_of_one: 6 lines
# says: <lambda>() takes 1 positional argument but 2 were given
tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda pair: pair[0])  # here

# === file_of_a_map_missing: 12 lines
# says: /nonexistent/cat.jpg; No such file or directory
files = tf.data.Dataset.from_tensor_slices(["/nonexistent/cat.jpg"])
for image in files.map(lambda name: tf.io.read_file(name)):  # here
    print(image)

# === method_of_a_string_in_a_map: 12 lines
# says: object has no attribute 'split'
# says: Fix: write `return tf.strings.split(path, "/")` on line 3.
def name_of(path):
    return path.split("/")  # here

tf.data.Dataset.from_tensor_slices(["a/b.jpg"]).map(name_of)

# === batch_of_different_shapes: 8 lines
# says: Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [2], [batch]: [1]
for batch in tf.data.Dataset.range(1, 3).map(lambda n: tf.ones([n])).batch(2):  # here
    print(batch)

# === filter_by_a_number: 8 lines
# says: `predicate` must return a `tf.bool` scalar tensor, but its return type is TensorSpec(shape=(), dtype=tf.int64, name=None).
tf.data.Dataset.range(3).filter(lambda x: x)  # here

# === datasets_of_different_elements: 10 lines
# says: Incompatible dataset elements
tf.data.Dataset.range(3).concatenate(tf.data.Dataset.from_tensors(1.0))  # here

# === length_of_an_endless_dataset: 6 lines
# says: The dataset is infinite.
len(tf.data.Dataset.range(3).repeat())  # here

# === reduction_of_another_dtype: 12 lines
# says: `total` is int32 and `x` is int64.
tf.data.Dataset.range(3).reduce(0, lambda total, x: total + x)  # here

# === record_file_that_is_none: 6 lines
# says: corrupted record at 0 (Is this even a TFRecord file?)
open("words.txt", "w").write("no records are in here, only words")
for record in tf.data.TFRecordDataset("words.txt"):  # here
    print(record)
