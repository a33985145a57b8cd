"""A search by Haystack over docs/, as a project has it."""

from __future__ import annotations

from pathlib import Path

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from word_vectors import vector


@component
class WordEmbedder:
    """Embeds a query by words."""

    @component.output_types(embedding=list[float])  # type: ignore[untyped-decorator]
    def run(self, text: str) -> dict[str, list[float]]:
        """Embed a text."""
        return {"embedding": vector(text)}


pages = [
    Document(content=path.read_text(encoding="utf-8"), meta={"file_path": str(path)})
    for path in sorted(Path("docs").rglob("*.md"))
]
splitter = DocumentSplitter(split_by="word", split_length=50, split_overlap=20)
chunks = [
    Document(id=one.id, content=one.content, meta=one.meta, embedding=vector(one.content))
    for one in splitter.run(documents=pages)["documents"]
]
document_store = InMemoryDocumentStore()
document_store.write_documents(chunks)

retriever = InMemoryBM25Retriever(document_store)

pipeline = Pipeline()
pipeline.add_component("bm25", InMemoryBM25Retriever(document_store))

hybrid = Pipeline()
hybrid.add_component("embedder", WordEmbedder())
hybrid.add_component("vectors", InMemoryEmbeddingRetriever(document_store, top_k=30))
hybrid.add_component("bm25", InMemoryBM25Retriever(document_store, top_k=30))
hybrid.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
hybrid.connect("embedder.embedding", "vectors.query_embedding")
hybrid.connect("vectors.documents", "joiner.documents")
hybrid.connect("bm25.documents", "joiner.documents")

embedding_retriever = InMemoryEmbeddingRetriever(document_store)
