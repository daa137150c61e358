"""`tf.train.ClusterSpec`: the jobs of a cluster, and the addresses of their tasks."""

from __future__ import annotations

from tracefn.distribute._cluster_messages import message_class


class ClusterSpec:
    """The tasks of a cluster by job.

    Args:
      cluster: dict from the name of a job to the list of the addresses of its tasks, or to a dict from their numbers to
        their addresses; or another ClusterSpec; or a `tf.train.ClusterDef`.

    Raises:
      TypeError: it is something else.

    Example:
      >>> import tracefn as tf
      >>> spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
      >>> spec.jobs, spec.num_tasks("worker"), spec.task_address("worker", 1)
      (['worker'], 2, 'b:2')
    """

    def __init__(self, cluster) -> None:
        self._tasks: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._tasks
        elif getattr(getattr(cluster, "DESCRIPTOR", None), "name", None) == "ClusterDef":
            cluster = {job.name: dict(job.tasks) for job in cluster.job}
        if not isinstance(cluster, dict):
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
                            "or a `ClusterDef` protocol buffer")  # fmt: skip
        for job, tasks in cluster.items():
            if isinstance(tasks, (list, tuple)):
                tasks = dict(enumerate(tasks))
            if not isinstance(tasks, dict):
                raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
            for address in tasks.values():
                if not isinstance(address, (str, bytes)):
                    raise TypeError(f"Task address {address!r} must be bytes or unicode")
            self._tasks[str(job)] = {int(number): address for number, address in tasks.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._tasks:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._tasks[job_name]

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Raises:
          ValueError: there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job, in order.

        Raises:
          ValueError: there is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
          ValueError: there is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list:
        """The addresses of the tasks of a job by number; None where there is none.

        Raises:
          ValueError: there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict:
        """The addresses by job: lists, or dicts by number where numbers are missing."""
        return {
            job: self.job_tasks(job) if sorted(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._tasks.items()
        }

    def as_cluster_def(self):
        """The `tf.train.ClusterDef` of the cluster, with jobs and tasks in order.

        Raises:
          ModuleNotFoundError: the package tensorboard, which has the class, is not installed.

        Example:
          >>> import tracefn as tf
          >>> message = tf.train.ClusterSpec({"worker": ["a:1"]}).as_cluster_def()
          >>> message.job[0].name, dict(message.job[0].tasks)
          ('worker', {0: 'a:1'})
        """
        message = message_class("ClusterDef")
        if message is None:
            raise ModuleNotFoundError("tf.train.ClusterSpec.as_cluster_def needs tensorboard: pip install tensorboard")
        made = message()
        for job, tasks in sorted(self._tasks.items()):
            made.job.add(name=job, tasks=dict(sorted(tasks.items())))
        return made

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items())]
        return f"ClusterSpec({{{', '.join(parts)}}})"
