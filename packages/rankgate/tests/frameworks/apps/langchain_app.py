"""A search by LangChain over docs/, as a project has it."""

from __future__ import annotations

from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from word_vectors import vector


class WordEmbeddings(Embeddings):  # type: ignore[misc]
    """Embeds by words."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts."""
        return [vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed a query."""
        return vector(text)


pages = [
    Document(page_content=path.read_text(encoding="utf-8"), metadata={"source": str(path)})
    for path in sorted(Path("docs").rglob("*.md"))
]
splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=120, add_start_index=True)
chunks = splitter.split_documents(pages)
store = InMemoryVectorStore(WordEmbeddings())
store.add_documents(chunks, ids=[f"chunk-{number}" for number in range(len(chunks))])

retriever = store.as_retriever(search_kwargs={"k": 10})
chain = retriever | RunnableLambda(lambda found: found[::-1])
