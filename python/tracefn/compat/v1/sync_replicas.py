"""`tf.compat.v1.train.SyncReplicasOptimizer`: steps along the mean of the gradients of several workers."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn._logging import inform
from tracefn.compat.v1.accumulators import ConditionalAccumulator
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.monitored.managers import is_ready
from tracefn.compat.v1.optimizer import Optimizer
from tracefn.compat.v1.queue_runners import QueueRunner
from tracefn.compat.v1.session_hooks import SessionRunHook
from tracefn.compat.v1.sparse_accumulators import SparseConditionalAccumulator
from tracefn.framework import control_dependencies, name_scope
from tracefn.indexed_slices import IndexedSlices


@export("compat.v1.train.SyncReplicasOptimizer")
class SyncReplicasOptimizer(Optimizer):
    """Collects gradients, and makes a step along their mean once there are enough; those of older steps are dropped.

    The chief worker runs the steps in a thread of its own. After each it puts tokens into a queue, and a worker begins its next
    step when it has got one.

    Args:
      opt: the Optimizer whose steps it makes.
      replicas_to_aggregate: int, how many gradients of each Variable a step needs.
      total_num_replicas: int, the number of workers; None: as many as that.
      variable_averages: `ExponentialMovingAverage` to update after each step, or None.
      variables_to_average: list of the Variables that it averages.
      use_locking: accepted, without effect.
      name: str, the name of the ops.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     w, step = v1.get_variable("w", initializer=1.0), v1.train.get_or_create_global_step()
      ...     optimizer = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(0.25), 1)
      ...     train = optimizer.minimize(w * w, step)
      ...     with v1.Session() as session:
      ...         session.run(v1.global_variables_initializer())
      ...         session.run(optimizer.chief_init_op)
      ...         coord, runner = v1.train.Coordinator(), optimizer.get_chief_queue_runner()
      ...         threads = runner.create_threads(session, coord, daemon=True, start=True)
      ...         _ = session.run(train)
      ...         print(session.run(w))
      ...         coord.request_stop()
      0.5
    """

    def __init__(
        self,
        opt,
        replicas_to_aggregate,
        total_num_replicas=None,
        variable_averages=None,
        variables_to_average=None,
        use_locking=False,
        name="sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        inform(f"SyncReplicasV2: replicas_to_aggregate={replicas_to_aggregate}; total_num_replicas={total}")
        self._opt = opt
        self._needed = replicas_to_aggregate
        self._workers = total
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._applied = False

    def compute_gradients(self, *args, **kwargs):
        """`compute_gradients` of the optimizer whose steps it makes."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, skip_gradients_aggregation=False):
        """Collects the gradients of a worker, and waits for the step.

        Args:
          grads_and_vars: list of pairs of a gradient, or None, and a Variable.
          global_step: Variable that counts the steps.
          name, skip_gradients_aggregation: accepted, without effect.

        Returns:
          What each worker runs: it ends when the next step may begin.

        Raises:
          ValueError: there are no pairs, no `global_step`, or a gradient is something else.
        """
        del name, skip_gradients_aggregation
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        pairs = list(grads_and_vars)
        self._global_step = global_step
        self._local_step = today("compat.v1.Variable")(
            0, trainable=False, collections=["local_variables"], dtype=global_step.dtype, name="sync_rep_local_step"
        )
        self.local_step_init_op = today("compat.v1.assign")(self._local_step, global_step)
        self.ready_for_local_init_op = today("compat.v1.report_uninitialized_variables")(today("compat.v1.global_variables")())
        with today("compat.v1.name_scope")(None, self._name):
            collected = [self._collected(gradient, variable) for gradient, variable in pairs]
            means = [(mean, variable) for (_, _, mean), (_, variable) in zip(collected, pairs, strict=True)]
            with name_scope(""):
                updated = self._opt.apply_gradients(means, global_step)
                train = self._with_tokens([added for added, _, _ in collected if added is not None], updated)
            begins = [one.set_global_step(global_step, name="SetGlobalStep") for _, one, _ in collected if one is not None]
            self.chief_init_op = today("group")(self.local_step_init_op, *begins)
        self._applied = True
        return train

    def _collected(self, gradient, variable) -> tuple:
        """The Operation that adds a gradient, its accumulator, and the mean of enough of them."""
        if gradient is None:
            return None, None, None
        shared_name = f"{variable.name}/grad_accum"
        if isinstance(gradient, _core.Tensor):
            sums = ConditionalAccumulator(gradient.dtype, shape=variable.shape, shared_name=shared_name)
            return sums.apply_grad(gradient, local_step=self._local_step), sums, sums.take_grad(self._needed)
        if not isinstance(gradient, IndexedSlices):
            raise ValueError("Unknown grad type!")
        rows = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared_name)
        added = rows.apply_indexed_slices_grad(gradient, local_step=self._local_step)
        return added, rows, rows.take_indexed_slices_grad(self._needed)

    def _with_tokens(self, added: list, updated):
        """What a worker runs; the chief's thread puts tokens into a queue after each update."""
        self._tokens = today("queue.FIFOQueue")(
            -1, self._global_step.dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q"
        )
        with control_dependencies(added):
            token = self._tokens.dequeue()
        train = today("compat.v1.assign")(self._local_step, token)
        with control_dependencies([updated]):
            count = max(self._workers, self._needed)
            synchronized = self._tokens.enqueue_many((today("fill")([count], self._global_step),))
        if self._averages is not None:
            with control_dependencies([synchronized]):
                synchronized = self._averages.apply(self._averaged)
        self._runner = QueueRunner(self._tokens, [synchronized])
        return train

    def get_chief_queue_runner(self):
        """The `QueueRunner` of the chief's thread.

        Raises:
          ValueError: before `apply_gradients`.
        """
        if not self._applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._runner

    def get_slot(self, *args, **kwargs):
        """`get_slot` of the optimizer whose steps it makes."""
        return self._opt.get_slot(*args, **kwargs)

    def variables(self) -> list:
        """The Variables of the optimizer whose steps it makes."""
        return self._opt.variables()

    def get_slot_names(self, *args, **kwargs) -> list[str]:
        """`get_slot_names` of the optimizer whose steps it makes."""
        return self._opt.get_slot_names(*args, **kwargs)

    def get_init_tokens_op(self, num_tokens=-1):
        """The Operation with which the chief begins: it puts tokens into the queue.

        Args:
          num_tokens: int; -1: as many as a step needs gradients.

        Raises:
          ValueError: before `apply_gradients`, or too few for workers that make several gradients for each step.
        """
        if not self._applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        least = self._needed - self._workers
        if num_tokens == -1:
            num_tokens = self._needed
        elif num_tokens < least:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {least} (needed)")
        if num_tokens <= 0:
            return today("no_op")(name="no_init_tokens")
        with name_scope(""):
            return self._tokens.enqueue_many((today("fill")([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """A hook for monitored sessions: it initializes what a worker needs, and starts the chief's thread.

        That thread waits for gradients; a monitored session that is closed waits up to two minutes for it to end.

        Args:
          is_chief: whether this worker is the chief.
          num_tokens: as of `get_init_tokens_op`.
        """
        return _Hook(self, is_chief, num_tokens)


class _Hook(SessionRunHook):
    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief, num_tokens) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        if not self._optimizer._applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._begins = [self._optimizer.chief_init_op if self._is_chief else self._optimizer.local_step_init_op]
        if self._is_chief:
            self._begins.append(self._optimizer.get_init_tokens_op(self._num_tokens))

    def after_create_session(self, session, coord) -> None:
        check = self._optimizer.ready_for_local_init_op
        ready, reason = is_ready(check, session, "Model is not ready for SyncReplicasOptimizer local init.")
        if not ready:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
                f"{self._begins[0].name}, error: {reason}"
            )
        for operation in self._begins:
            session.run(operation)
        if self._is_chief:
            self._optimizer.get_chief_queue_runner().create_threads(session, coord=coord, daemon=True, start=True)
