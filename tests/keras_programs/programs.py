"""Small programs with Keras as users write them. Each takes the module `tf` and a folder for its files, and returns the numbers
that it would print: the same on TensorFlow and on tracefn."""

from __future__ import annotations

import numpy as np

PROGRAMS = {}


def program(function):
    """Registers a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def rows(count: int, *shape: int, seed: int = 0) -> np.ndarray:
    """Uniform numbers, the same everywhere."""
    return np.random.RandomState(seed).rand(count, *shape).astype(np.float32)


def classes(count: int, number: int, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, number, count)


def pictures(count: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of 8 x 8 with a bright corner, and which corner it is."""
    labels = classes(count, 4)
    x = rows(count, 8, 8, 1) * 0.5
    for picture, label in zip(x, labels, strict=True):
        picture[(label // 2) * 5 : (label // 2) * 5 + 3, (label % 2) * 5 : (label % 2) * 5 + 3] += 1
    return x, labels


def losses(history) -> list[float]:
    return history.history["loss"]


@program
def image_classifier(tf, folder):
    keras = tf.keras
    x, y = pictures()
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, epochs=3, batch_size=16, validation_split=0.25, verbose=0)
    return {
        "history": history.history,
        "evaluated": model.evaluate(x, y, verbose=0),
        "predicted": model.predict(x[:3], verbose=0),
    }


@program
def text_classifier(tf, folder):
    keras = tf.keras
    texts = [
        "a good film",
        "a bad film",
        "very good",
        "very bad",
        "good good story",
        "bad bad story",
        "the good",
        "the bad",
    ]
    labels = np.array([1, 0] * 4, np.float32)
    vectorize = keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4)
    vectorize.adapt(texts)
    data = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(4).map(lambda t, y: (vectorize(t), y))
    model = keras.Sequential(
        [
            keras.layers.Embedding(20, 8, mask_zero=True),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(data, epochs=4, verbose=0)
    return {"vocabulary": len(vectorize.get_vocabulary()), "ids": vectorize(texts[:2]), "losses": losses(history)}


@program
def time_series_lstm(tf, folder):
    keras = tf.keras
    series = np.sin(np.arange(200) * 0.1).astype(np.float32)
    data = keras.utils.timeseries_dataset_from_array(series[:-10, None], series[10:], sequence_length=10, batch_size=32)
    model = keras.Sequential([keras.layers.Input((10, 1)), keras.layers.LSTM(8), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return {
        "losses": losses(model.fit(data, epochs=3, verbose=0)),
        "next": model.predict(series[None, :10, None], verbose=0),
    }


@program
def autoencoder(tf, folder):
    keras = tf.keras
    x = rows(64, 12)
    encoder = keras.Sequential([keras.layers.Input((12,)), keras.layers.Dense(3, activation="tanh")])
    decoder = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(12, activation="sigmoid")])
    inputs = keras.Input((12,))
    model = keras.Model(inputs, decoder(encoder(inputs)))
    model.compile("sgd", "binary_crossentropy")
    return {"losses": losses(model.fit(x, x, epochs=3, verbose=0)), "codes": encoder(x[:2])}


@program
def gan(tf, folder):
    keras = tf.keras

    class GAN(keras.Model):
        def __init__(self):
            super().__init__()
            self.generator = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])
            self.critic = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
            self.d_loss, self.g_loss = keras.metrics.Mean("d_loss"), keras.metrics.Mean("g_loss")
            self.seeds = keras.random.SeedGenerator(7)

        def compile(self):
            super().compile()
            self.d_optimizer, self.g_optimizer = keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01)
            self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

        @property
        def metrics(self):
            return [self.d_loss, self.g_loss]

        def train_step(self, real):
            noise = keras.random.normal((tf.shape(real)[0], 3), seed=self.seeds)
            with tf.GradientTape() as tape:
                answers = tf.concat([self.critic(real), self.critic(self.generator(noise))], 0)
                wanted = tf.concat([tf.ones_like(answers[:8]), tf.zeros_like(answers[8:])], 0)
                d_loss = self.loss_of(wanted, answers)
            weights = self.critic.trainable_weights
            self.d_optimizer.apply_gradients(zip(tape.gradient(d_loss, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                fooled = self.critic(self.generator(noise))
                g_loss = self.loss_of(tf.ones_like(fooled), fooled)
            weights = self.generator.trainable_weights
            self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, weights), weights, strict=True))
            self.d_loss.update_state(d_loss)
            self.g_loss.update_state(g_loss)
            return {"d": self.d_loss.result(), "g": self.g_loss.result()}

    model = GAN()
    model.compile()
    return model.fit(rows(32, 2), batch_size=8, epochs=3, verbose=0).history


@program
def transfer_learning(tf, folder):
    keras = tf.keras
    x, y = pictures()
    base = keras.Sequential(
        [keras.layers.Input((8, 8, 1)), keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization()]
    )
    base.trainable = False
    inputs = keras.Input((8, 8, 1))
    outputs = keras.layers.Dense(4)(keras.layers.GlobalMaxPooling2D()(base(inputs, training=False)))
    model = keras.Model(inputs, outputs)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    frozen = [w.numpy().copy() for w in base.weights]
    first = losses(model.fit(x, y, epochs=2, verbose=0))
    same = all(np.array_equal(a, b.numpy()) for a, b in zip(frozen, base.weights, strict=True))
    base.trainable = True
    model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return {
        "first": first,
        "same": same,
        "then": losses(model.fit(x, y, epochs=2, verbose=0)),
        "trained": len(model.trainable_weights),
    }


@program
def several_inputs(tf, folder):
    keras = tf.keras
    number, word = keras.Input((3,), name="number"), keras.Input((2,), name="word", dtype="int32")
    merged = keras.layers.Concatenate()(
        [keras.layers.Dense(4)(number), keras.layers.Flatten()(keras.layers.Embedding(9, 2)(word))]
    )
    outputs = {
        "price": keras.layers.Dense(1, name="price")(merged),
        "kind": keras.layers.Dense(3, activation="softmax", name="kind")(merged),
    }
    model = keras.Model({"number": number, "word": word}, outputs)
    model.compile(
        "adam", {"price": "mse", "kind": "sparse_categorical_crossentropy"}, loss_weights={"price": 0.5, "kind": 1.0}
    )
    x = {"number": rows(32, 3), "word": classes(64, 9).reshape(32, 2)}
    history = model.fit(x, {"price": rows(32, 1, seed=3), "kind": classes(32, 3)}, epochs=3, verbose=0)
    return {"history": history.history, "parameters": model.count_params()}


@program
def custom_layer(tf, folder):
    keras = tf.keras

    class Linear(keras.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, shape):
            self.w = self.add_weight(shape=(shape[-1], self.units), initializer="glorot_uniform", name="w")
            self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False, name="calls")

        def call(self, x, training=False):
            if training:
                self.calls.assign_add(1.0)
            self.add_loss(0.01 * tf.reduce_sum(self.w**2))
            return x @ self.w

        def get_config(self):
            return {**super().get_config(), "units": self.units}

    model = keras.Sequential([keras.layers.Input((4,)), Linear(3), keras.layers.Activation("gelu"), Linear(1)])
    model.compile("adam", "mse")
    history = model.fit(rows(32, 4), rows(32, 1, seed=2), epochs=2, batch_size=8, verbose=0)
    copy = keras.models.clone_model(model, clone_function=lambda layer: type(layer).from_config(layer.get_config()))
    return {"losses": losses(history), "calls": model.layers[0].calls, "copied": copy.count_params()}


@program
def custom_loss_and_metric(tf, folder):
    keras = tf.keras

    def huber(wanted, found):
        error = wanted - found
        return tf.reduce_mean(tf.where(tf.abs(error) < 0.5, error**2 / 2, 0.5 * (tf.abs(error) - 0.25)), -1)

    class Within(keras.metrics.Metric):
        def __init__(self, name="within", **kwargs):
            super().__init__(name=name, **kwargs)
            self.hits, self.all = (self.add_weight(name=n, initializer="zeros") for n in ("hits", "all"))

        def update_state(self, wanted, found, sample_weight=None):
            near = tf.abs(tf.cast(wanted, tf.float32) - found) < 0.3
            self.hits.assign_add(tf.reduce_sum(tf.cast(near, tf.float32)))
            self.all.assign_add(tf.cast(tf.size(near), tf.float32))

        def result(self):
            return self.hits / self.all

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), huber, metrics=[Within(), "mae"])
    weights = rows(32, seed=5)
    return model.fit(rows(32, 4), rows(32, 1, seed=2), sample_weight=weights, epochs=3, verbose=0).history


@program
def callbacks(tf, folder):
    keras = tf.keras
    seen = []
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    file = str(folder / "best.keras")
    history = model.fit(
        rows(64, 4),
        rows(64, 1, seed=2),
        validation_data=(rows(16, 4, seed=6), rows(16, 1, seed=7)),
        epochs=12,
        verbose=0,
        callbacks=[
            keras.callbacks.EarlyStopping(patience=2, min_delta=1e-3, restore_best_weights=True),
            keras.callbacks.ModelCheckpoint(file, save_best_only=True, monitor="val_loss"),
            keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5, monitor="loss"),
            keras.callbacks.CSVLogger(str(folder / "log.csv")),
            keras.callbacks.TensorBoard(str(folder / "logs"), histogram_freq=1),
            keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(epoch)),
        ],
    )
    best = keras.models.load_model(file)
    lines = len((folder / "log.csv").read_text().splitlines())
    events = len(list((folder / "logs").rglob("events*")))
    return {
        "history": history.history,
        "seen": seen,
        "best": best.predict(rows(2, 4), verbose=0),
        "lines": lines,
        "events": events,
    }


@program
def learning_rate_schedules(tf, folder):
    keras = tf.keras
    schedules = [
        keras.optimizers.schedules.ExponentialDecay(0.1, 5, 0.5, staircase=True),
        keras.optimizers.schedules.CosineDecay(0.1, 20, warmup_target=0.2, warmup_steps=3),
        keras.optimizers.schedules.PiecewiseConstantDecay([3, 6], [0.1, 0.01, 0.001]),
        keras.optimizers.schedules.PolynomialDecay(0.1, 10, power=2.0),
    ]
    found = {}
    for schedule in schedules:
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(schedule), "mse")
        found[type(schedule).__name__] = losses(
            model.fit(rows(32, 4), rows(32, 1, seed=2), epochs=3, batch_size=8, verbose=0)
        )
        found[type(schedule).__name__ + " now"] = model.optimizer.learning_rate
    return found


@program
def save_and_load(tf, folder):
    keras = tf.keras
    model = keras.Sequential(
        [
            keras.layers.Input((4,)),
            keras.layers.Dense(3, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    x, y = rows(32, 4), rows(32, 1, seed=2)
    model.fit(x, y, epochs=1, verbose=0)
    model.save(folder / "model.keras")
    model.save(folder / "model.h5")
    model.save_weights(folder / "model.weights.h5")
    loaded, older = (
        keras.models.load_model(folder / "model.keras"),
        keras.models.load_model(folder / "model.h5", compile=False),
    )
    third = keras.models.model_from_json(model.to_json())
    third.load_weights(folder / "model.weights.h5")
    found = [np.array_equal(model.predict(x, verbose=0), m.predict(x, verbose=0)) for m in (loaded, older, third)]
    return {"equal": found, "go on": [losses(m.fit(x, y, epochs=2, verbose=0, shuffle=False)) for m in (model, loaded)]}


@program
def preprocessing_in_a_dataset(tf, folder):
    keras = tf.keras
    ages, towns = np.array([20.0, 35, 50, 65], np.float32), np.array(["Ulm", "Bonn", "Ulm", "Kiel"])
    normalize, look_up = keras.layers.Normalization(axis=None), keras.layers.StringLookup(output_mode="one_hot")
    normalize.adapt(ages)
    look_up.adapt(towns)
    bucketize, cross = keras.layers.Discretization([30, 60], output_mode="one_hot"), keras.layers.HashedCrossing(5)
    data = tf.data.Dataset.from_tensor_slices({"age": ages, "town": towns}).batch(2)
    data = data.map(
        lambda row: tf.concat(
            [normalize(row["age"])[:, None], tf.cast(look_up(row["town"]), tf.float32), bucketize(row["age"])], 1
        )
    )
    crossed = cross((towns, np.array(["a", "b", "a", "b"])))
    return {"rows": np.concatenate(list(data.as_numpy_iterator())), "crossed": crossed}


@program
def augmentation(tf, folder):
    keras = tf.keras
    x, y = pictures(32)
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.RandomFlip("horizontal", seed=1),
            keras.layers.RandomTranslation(0.1, 0.1, seed=2),
            keras.layers.Rescaling(2.0, -1.0),
            keras.layers.Resizing(12, 12),
            keras.layers.Flatten(),
            keras.layers.Dense(4),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return {"losses": losses(model.fit(x, y, epochs=2, verbose=0)), "predicted": model.predict(x[:2], verbose=0)}


@program
def mixed_precision(tf, folder):
    keras = tf.keras
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = keras.Sequential(
            [keras.layers.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1, dtype="float32")]
        )
        model.compile("adam", "mse")
        history = model.fit(rows(32, 4), rows(32, 1, seed=2), epochs=2, verbose=0)
        return {
            "dtypes": [model.layers[0].compute_dtype, model.layers[0].kernel.dtype],
            "loss": [round(x, 2) for x in losses(history)],
        }
    finally:
        keras.mixed_precision.set_global_policy("float32")


@program
def gradient_accumulation(tf, folder):
    keras = tf.keras
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.1, gradient_accumulation_steps=2, clipnorm=1.0, use_ema=True), "mse")
    history = model.fit(rows(32, 4), rows(32, 1, seed=2), epochs=3, batch_size=8, verbose=0)
    return {"losses": losses(history), "weights": model.get_weights()}


@program
def own_loop_in_a_function(tf, folder):
    keras = tf.keras

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden, self.last = keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3)

        def call(self, x, training=False):
            return self.last(self.hidden(x))

    model, optimizer = Net(), keras.optimizers.RMSprop(0.01)
    loss_of, mean = keras.losses.SparseCategoricalCrossentropy(from_logits=True), keras.metrics.Mean()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        mean.update_state(loss)
        return loss

    data = tf.data.Dataset.from_tensor_slices((rows(48, 5), classes(48, 3))).batch(16)
    steps = [float(step(x, y)) for _ in range(3) for x, y in data]
    return {"steps": steps, "mean": mean.result(), "traces": step.experimental_get_tracing_count()}


@program
def transformer_block(tf, folder):
    keras = tf.keras
    inputs = keras.Input((6,), dtype="int32")
    x = keras.layers.Embedding(20, 8)(inputs)
    attended, scores = keras.layers.MultiHeadAttention(2, 4, dropout=0.1)(
        x, x, use_causal_mask=True, return_attention_scores=True
    )
    x = keras.layers.LayerNormalization()(x + attended)
    x = keras.layers.LayerNormalization()(x + keras.layers.Dense(8)(keras.layers.Dense(16, activation="gelu")(x)))
    model = keras.Model(inputs, [keras.layers.Dense(2)(keras.layers.GlobalAveragePooling1D()(x)), scores])
    model.compile("adamw", [keras.losses.SparseCategoricalCrossentropy(from_logits=True), None])
    data = classes(32 * 6, 20).reshape(32, 6)
    return {
        "losses": losses(model.fit(data, classes(32, 2), epochs=2, verbose=0)),
        "scores": model.predict(data[:1], verbose=0)[1],
    }


@program
def recurrent_layers(tf, folder):
    keras = tf.keras
    x = rows(4, 6, 3)
    found = {}
    for name, layer in {
        "two ways": keras.layers.Bidirectional(keras.layers.LSTM(3, return_sequences=True)),
        "gru": keras.layers.GRU(3, reset_after=True, return_state=True),
        "simple": keras.layers.SimpleRNN(3, go_backwards=True),
        "stacked": keras.layers.RNN([keras.layers.LSTMCell(3), keras.layers.GRUCell(2)]),
        "dropout": keras.layers.LSTM(3, dropout=0.3, recurrent_dropout=0.2, seed=4),
        "over pictures": keras.layers.ConvLSTM1D(2, 2),
    }.items():
        given = rows(2, 3, 5, 2) if name == "over pictures" else x
        found[name] = layer(given, training=True)
    masked = keras.Sequential([keras.layers.Masking(0.0), keras.layers.LSTM(3)])
    found["masked"] = masked(np.where(np.arange(6)[None, :, None] < 4, x, 0).astype(np.float32))
    return found


@program
def generator_of_batches(tf, folder):
    keras = tf.keras

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return rows(8, 4, seed=i), rows(8, 1, seed=i + 9)

    model = keras.Sequential(
        [keras.layers.Input((4,)), keras.layers.Dense(1, kernel_regularizer="l2", kernel_constraint="non_neg")]
    )
    model.compile("adagrad", "mse")
    return {
        "losses": losses(model.fit(Batches(), epochs=2, verbose=0)),
        "evaluated": model.evaluate(Batches(), verbose=0),
    }


@program
def ragged_and_sparse_inputs(tf, folder):
    keras = tf.keras
    words = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    dense = words.to_tensor(shape=(3, 4))
    model = keras.Sequential([keras.layers.Embedding(9, 3, mask_zero=True), keras.layers.GRU(2)])
    sparse = tf.sparse.from_dense(np.array([[0, 2.0, 0], [1.0, 0, 0]], np.float32))
    return {"ragged": model(dense), "sparse": keras.layers.Dense(2)(sparse)}
