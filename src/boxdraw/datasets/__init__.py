"""The 37 data sets of Goh and Rudin (2014), and one that comes with boxdraw, by name.

Nothing is downloaded: tables come from installed packages, from generators, or from your own files. Those of the paper
are checked against its table.

Examples
--------
>>> from boxdraw.datasets import describe_dataset, list_datasets, load_dataset
>>> len(list_datasets())
38
>>> print(describe_dataset("castle"))
castle: 8716 rows, 2 features, 375 positives, 22.2427 negatives per positive (simulated)
>>> castle = load_dataset("castle")
>>> castle.data.columns.tolist(), int(castle.target.sum())
(['x1', 'x2'], 375)
"""

from boxdraw.datasets.catalogue import DatasetInfo, describe_dataset
from boxdraw.datasets.load import list_datasets, load_dataset

__all__ = ["DatasetInfo", "describe_dataset", "list_datasets", "load_dataset"]
