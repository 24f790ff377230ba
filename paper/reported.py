"""The four tables of the paper as data, as printed.

The figures are those of S. T. Goh and C. Rudin, *Box Drawings for Learning with Imbalanced Data*, KDD 2014. They were
taken from its LaTeX source by a script, and ``tests/paper/test_reported.py`` compares them with it. Only one number
without its decimal point is corrected (flooded, Fast Boxes: 09638). `paper.errata` lists the errors.

Examples
--------
>>> from paper.reported import AUH, DATASETS, EXACT, TRIVIAL
>>> DATASETS["glass2"]
Shape(rows=214, features=9, ratio=11.5882)
>>> DATASETS["glass2"].positives
17
>>> AUH["glass2"]["Fast Boxes"]
Score(mean=0.7334, sd=0.0904, bold=True)
>>> TRIVIAL["glass2"]["C5.0"]
Share(value=0.7, bold=True)
>>> EXACT["glass1"].exact_boxes
Score(mean=0.7922, sd=0.0337, bold=True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = [
    "AUH",
    "DATASETS",
    "EXACT",
    "METHODS",
    "READABLE_METHODS",
    "TRIVIAL",
    "TRIVIAL_METHODS",
    "ExactRow",
    "Score",
    "Shape",
    "Share",
]

METHODS = ("Logistic", "SVM", "CART", "C4.5", "AdaBoost", "RF", "C5.0", "HDDT", "Fast Boxes")
TRIVIAL_METHODS = ("CART", "C4.5", "C5.0", "Fast Boxes")
READABLE_METHODS = ("CART", "C4.5", "C5.0", "HDDT", "Fast Boxes")
"""The methods that the table of Exact Boxes compares with."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A row of the table of data sets; the ratio is negatives per positive."""

    rows: int
    features: int
    ratio: float

    @property
    def positives(self) -> int:
        """The number of positives that has this ratio, rounded as printed."""
        return round(self.rows / (1 + self.ratio))


@dataclass(frozen=True, slots=True)
class Score:
    """Mean and standard deviation of the test AUH; bold if not significantly different from the best."""

    mean: float
    sd: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Share:
    """The share of models that are trivial, that is, predict one class only; bold marks large ones."""

    value: float
    bold: bool


@dataclass(frozen=True, slots=True)
class ExactRow:
    """A row of the table of Exact Boxes; best and ranking are among the readable methods."""

    best: Score
    fast_boxes: Score
    exact_boxes: Score
    ranking: int


# Rows, features, negatives per positive.
_DATASETS = """
pima             768  8 1.8657
castle          8716  2 22.2427
corner         10000  2 99
diamond        10000  2 24.9067
square         10000  2 11.2100
flooded        10000  2 31.1543
fourclass        862  2 1.8078
castle3D         545  3 7.2576
corner3D        1000  3 28.4118
diamond3D       1000  3 33.4828
square3D        1000  3 7
flooded3D       1000  3 26.7778
breast           569 30 1.6840
abalone19       4174  9 129.4375
yeast6          1484  8 41.4
yeast5          1484  8 32.7273
yeast1289        947  8 30.5667
yeast4          1484  8 28.0980
yeast28          482  8 23.1000
yeast1458        693  8 22.1000
abalone918       731  9 16.4048
pageblocks134    472 10 15.8571
ecoli4           336  7 15.8000
yeast17          459  7 14.3
shuttle04       1829  9 13.8699
glass2           214  9 11.5882
vehicle3         846 18 2.9906
vehicle1         846 18 2.8986
vehicle2         846 18 2.8807
haberman         306  3 2.7778
yeast1          1484  8 2.4592
glass0           214  9 2.0571
iris0            150  4 2
wisconsin        683  9 1.8577
ecoli01          220  7 1.8571
glass1           214  9 1.8158
breast_tissue    106  9 3.8182
"""

# Mean test AUH of the methods in the order of METHODS, a star for bold; standard deviations below.
_AUH = """
pima          0.8587* 0.8468* 0.7738  0.6579  0.6810  0.6942  0.6574  0.6642  0.7298
              0.0112  0.0126  0.0123  0.0347  0.0218  0.0126  0.0353  0.0274  0.0241
castle        0.5     1*      0.9941  0.9947  0.9949* 0.9922* 0.9941  0.9949* 1*
              0       0       0.0068  0.0060  0.0046  0.0079  0.0060  0.0062  0
corner        0.9871* 0.9948* 0.9488  0.5997  0.6984  0.6828  0.5612  0.6865  0.9891
              0.0129  0.0005  0.2717  0.1482  0.0449  0.0265  0.1110  0.0365  0.0001
diamond       0.5     0.9980* 0.9585  0.9328  0.9460  0.9433  0.9311  0.9364  0.9744
              0       0.0004  0.0129  0.0181  0.0117  0.0121  0.0208  0.0180  0.0062
square        0.5404  0.9944  0.9949  0.9949  0.9939  0.9947  0.9949  0.9949  0.9984*
              0.0718  0.0001  0.0051  0.0043  0.0033  0.0033  0.0043  0.0027  0.0015
flooded       0       0.9831* 0.9466  0.5488  0.7017  0.7036  0.5482  0.6992  0.9638
              0       0.0010  0.0157  0.1074  0.0231  0.0252  0.1077  0.0208  0.0091
fourclass     0.8122  0.9957* 0.9688  0.9916  0.9670  0.9920* 0.9670  0.9698  0.9546
              0.0195  0.0176  0.0176  0.0296  0.0265  0.0053  0.0130  0.0116  0.0174
castle3D      0.5449  1*      0.9532  0.9530  0.9272  0.9455* 0.9439  0.9530  1*
              0.0324  0       0.0347  0.0374  0.0499  0.0563  0.0615  0.0374  0
corner3D      0.8448  0.9225* 0.8481  0.5596  0.6245  0.5657  0.5622  0.6413  0.9736*
              0.0316  0.0463  0.0504  0.0729  0.03927 0.0309  0.0778  0.0457  0.0091
diamond3D     0.5449  0.7962* 0.7372  0.5     0.5492  0.5957  0.5622  0.6883  0.9516*
              0.0324  0.0917  0.0347  0.0374  0.0499  0.0309  0.0778  0.0542  0.0119
square3D      0.5     0.9626* 0.9106* 0.5387  0.8703  0.8790  0.5811  0.9034  0.9578*
              0       0.0156  0.0306  0.1224  0.01451 0.0234  0.1712  0.0322  0.0090
flooded3D     0.5     0.7912  0.7724  0.5     0.5471  0.5489  0.5     0.6422  0.9233*
              0       0.0781  0.0902  0       0.0329  0.0440  0       0.0749  0.0307
breast        0.9297  0.9801* 0.9516  0.9251  0.9457  0.9609  0.9281  0.9231  0.8888
              0.0230  0.0079  0.0173  0.0138  0.0329  0.0102  0.0135  0.0180  0.0313
abalone19     0.5188  0.5     0.5382  0.5     0.5     0.5     0.5     0.5116  0.6882*
              0.0182  0       0.0261  0       0       0       0       0.0164  0.0583
yeast6        0.8503* 0.8649* 0.7995  0.7129  0.7126  0.7277  0.7129  0.7064  0.8609*
              0.0341  0.0246  0.0624  0.0829  0.0536  0.0581  0.0853  0.0772  0.0585
yeast5        0.9499* 0.9229  0.9197* 0.8280  0.8305  0.8061  0.8241  0.7931  0.9767*
              0.0479  0.0339  0.0575  0.1159  0.0859  0.0616  0.1157  0.1126  0.0092
yeast1289     0.6319* 0.5618  0.7076* 0.5088  0.5152  0.5067  0.5156  0.5531  0.5932
              0.0433  0.0332  0.0665  0.0322  0.0288  0.0141  0.0342  0.0436  0.0557
yeast4        0.8001  0.7836  0.7595  0.6115  0.6131  0.5922  0.6210  0.6289  0.8794*
              0.0309  0.0480  0.0410  0.0902  0.0326  0.0326  0.07899 0.0471  0.0274
yeast28       0.7907* 0.6596  0.6402  0.5100  0.5     0.6489  0.5248  0.6126  0.7366*
              0.0525  0.0565  0.0893  0.0316  0       0.0472  0.0784  0.0606  0.0467
yeast1458     0.6164* 0.5420  0.6032* 0.5     0.5023  0.5095  0.5     0.5340  0.6090*
              0.0510  0.0322  0.0281  0       0.0088  0.0154  0       0.0467  0.0431
abalone918    0.8849* 0.6780  0.7427  0.5904  0.6117  0.5580  0.5725  0.6310  0.7171
              0.0270  0.0391  0.0517  0.0581  0.0456  0.03213 0.0470  0.0418  0.0603
pageblocks134 0.9461  0.7874  0.9945* 0.9908* 0.9908* 0.9500* 0.9908* 0.9551* 0.9500
              0.0444  0.1184  0.0109  0.0219  0.0449  0.0345  0.0219  0.0487  0.0359
ecoli4        0.8926* 0.9176* 0.8809* 0.7759  0.7965* 0.8494* 0.8471  0.8430* 0.9202*
              0.0615  0.0424  0.0593  0.07756 0.0775  0.0775  0.0532  0.0743  0.0622
yeast17       0.7534* 0.6905* 0.7481* 0.5841  0.5382  0.5529  0.5721  0.6070  0.7033*
              0.0611  0.0386  0.0713  0.0698  0.0225  0.0359  0.0699  0.0509  0.0547
shuttle04     0.9965* 0.9828* 1*      0.9994* 1*      1*      1*      0.9994* 0.9967*
              0.0045  0.0105  0       0.0008  0       0       0       0.0008  0.0042
glass2        0.7609* 0.6128  0.7112* 0.5541  0.5324  0.5479  0.5200  0.5892  0.7334*
              0.0726  0.0941  0.1090  0.0640  0.0417  0.0597  0.0415  0.0573  0.0904
vehicle3      0.8397* 0.8524* 0.7733  0.6515  0.6591  0.6484  0.6621  0.6823  0.7003
              0.0079  0.0169  0.0255  0.0401  0.0212  0.0232  0.02117 0.0300  0.0267
vehicle1      0.8587* 0.8468  0.7738  0.6579  0.6810  0.6942  0.6574  0.6719  0.7298
              0.0112  0.0126  0.0123  0.0347  0.0218  0.0126  0.0353  0.0265  0.0241
vehicle2      0.9632  0.9837* 0.9437  0.9351  0.9677  0.9775* 0.9365  0.9248  0.9191
              0.0134  0.0072  0.01880 0.0133  0.0097  0.0106  0.0129  0.0243  0.0242
haberman      0.6589* 0.6898* 0.6699* 0.5733* 0.6004  0.6130  0.5420* 0.5604  0.5290
              0.1713  0.0427  0.0276  0.0748  0.0323  0.0318  0.6780  0.0231  0.0265
yeast1        0.7836  0.7991* 0.7641  0.6672  0.6859  0.6130  0.5420  0.6369  0.5903
              0.0184  0.0150  0.0133  0.0372  0.0219  0.0318  0.0678  0.0128  0.0286
glass0        0.7951  0.8636* 0.8312  0.7687  0.7998  0.8572* 0.7690  0.7569  0.7937
              0.0437  0.0336  0.0345  0.0619  0.0381  0.0281  0.0595  0.0424  0.0212
iris0         1*      0.998*  1*      0.978*  1*      1*      0.972*  0.9880* 1*
              0       0.0063  0       0.0175  0       0       0.0169  0.0193  0
wisconsin     0.9746* 0.9735* 0.9741* 0.9455  0.9611  0.9672  0.9416  0.9249  0.8054
              0.0093  0.0073  0.0075  0.0124  0.0122  0.0072  0.0121  0.0203  0.1393
ecoli01       0.9728* 0.9850* 0.9840* 0.9806* 0.9828* 0.9855* 0.9806* 0.9806  0.9433
              0.0140  0.0091  0.0105  0.0107  0.0063  0.0097  0.0107  0.0107  0.0300
glass1        0.7247  0.8057* 0.7598  0.7050  0.6997  0.7833  0.6822  0.7189  0.6654
              0.0363  0.0340  0.0490  0.0358  0.0478  0.0274  0.0320  0.0586  0.0356
breast_tissue 0.9411  0.9908  0.9417  0.9450  0.9632  0.9531  0.9630  0.9314  0.9953*
              0.0394  0.0064  0.0747  0.0602  0.0297  0.0505  0.0403  0.0550  0.0042
"""

# Share of trivial models of the methods in the order of TRIVIAL_METHODS, a star for bold.
_TRIVIAL = """
pima          0.00  0.00  0.00  0.07
castle        0.00  0.00  0.00  0.10
corner        0.00  0.60* 0.70* 0.00
diamond       0.00  0.00  0.00  0.00
square        0.00  0.00  0.00  0.00
flooded       0.00  0.70* 0.80* 0.00
fourclass     0.00  0.00  0.00  0.03
castle3D      0.00  0.00  0.00  0.10
corner3D      0.00  0.50* 0.50* 0.07
diamond3D     0.00  1.00* 1.00* 0.06
square3D      0.00  0.90* 0.80* 0.10
flooded3D     0.05  1.00* 1.00* 0.09
breast        0.00  0.00  0.00  0.37
abalone19     0.43  1.00* 1.00* 0.35
yeast6        0.00  0.00  0.00  0.02
yeast5        0.00  0.00  0.00  0.36
yeast1289     0.16  0.70* 0.60* 0.35
yeast4        0.00  0.20  0.20  0.30
yeast28       0.39  0.90* 0.90* 0.00
yeast1458     0.24  0.70* 0.90* 0.19
abalone918    0.00  0.10  0.10  0.40
pageblocks134 0.00  0.00  0.00  0.39
ecoli4        0.00  0.00  0.00  0.32
yeast17       0.03  0.20  0.30  0.21
shuttle04     0.00  0.00  0.00  0.00
glass2        0.09  0.40  0.70* 0.28
vehicle3      0.00  0.00  0.00  0.01
vehicle1      0.00  0.00  0.00  0.02
vehicle2      0.00  0.00  0.00  0.27
haberman      0.00  0.40  0.70* 0.13
yeast1        0.00  0.00  0.00  0.08
glass0        0.00  0.00  0.00  0.08
iris0         0.00  0.00  0.00  0.03
wisconsin     0.00  0.00  0.00  0.34
ecoli01       0.00  0.00  0.00  0.21
glass1        0.00  0.00  0.00  0.16
breast_tissue 0.00  0.00  0.00  0.08
"""

# Best performance, Fast Boxes, Exact Boxes (mean, standard deviation each), ranking of Exact Boxes.
_EXACT = """
vehicle2      0.9496  0.015   0.9191  0.0242  0.9496  0.015   1
haberman      0.6699  0.0276  0.5290  0.0265  0.6632* 0.0303  2
yeast1        0.7641  0.0133  0.5903  0.0286  0.7392  0.0172  2
glass0        0.8312  0.0345  0.7937  0.0212  0.7977  0.0421  2
iris0         1       0       1*      0       1*      0       1
wisconsin     0.9741  0.0075  0.8054  0.1393  0.9726* 0.0079  2
ecoli01       0.9840  0.0105  0.9433  0.0300  0.9839* 0.0109  2
glass1        0.7922  0.0377  0.6654  0.0356  0.7922* 0.0337  1
"""


def _lines(text: str) -> Iterator[list[str]]:
    """Yield the cells of each line."""
    return (line.split() for line in text.strip().splitlines())


def _score(mean: str, sd: str) -> Score:
    """Read a cell; a star marks bold."""
    return Score(float(mean.rstrip("*")), float(sd), mean.endswith("*"))


def _auh() -> dict[str, dict[str, Score]]:
    """Read the table of AUH: for each data set a line of means and a line of deviations below."""
    lines = list(_lines(_AUH))
    return {
        name: {method: _score(*cell) for method, *cell in zip(METHODS, means, deviations, strict=True)}
        for (name, *means), deviations in zip(lines[::2], lines[1::2], strict=True)
    }


def _trivial() -> dict[str, dict[str, Share]]:
    """Read the table of trivial models."""
    return {
        name: {
            method: Share(float(cell.rstrip("*")), cell.endswith("*"))
            for method, cell in zip(TRIVIAL_METHODS, cells, strict=True)
        }
        for name, *cells in _lines(_TRIVIAL)
    }


def _exact() -> dict[str, ExactRow]:
    """Read the table of Exact Boxes: three means with their deviations, and the rank."""
    return {
        name: ExactRow(_score(*cells[0:2]), _score(*cells[2:4]), _score(*cells[4:6]), int(cells[6]))
        for name, *cells in _lines(_EXACT)
    }


DATASETS = {name: Shape(int(rows), int(features), float(ratio)) for name, rows, features, ratio in _lines(_DATASETS)}
"""The table of data sets, in its order."""

AUH = _auh()
"""The table of test AUH, by data set and method."""

TRIVIAL = _trivial()
"""The table of the share of trivial models, by data set and method."""

EXACT = _exact()
"""The table of Exact Boxes, by data set."""
