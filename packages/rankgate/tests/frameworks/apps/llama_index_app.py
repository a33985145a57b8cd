"""A search by LlamaIndex over docs/, as a project has it."""

from __future__ import annotations

from llama_index.core import MockEmbedding, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from word_vectors import SIZE, vector


class WordEmbedding(MockEmbedding):  # type: ignore[misc]
    """Embeds by words."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


pages = SimpleDirectoryReader("docs", recursive=True).load_data()
splitter = SentenceSplitter(chunk_size=256, chunk_overlap=80)
nodes = splitter.get_nodes_from_documents(pages)
index = VectorStoreIndex(nodes, embed_model=WordEmbedding(embed_dim=SIZE))

retriever = index.as_retriever(similarity_top_k=10)
engine = index.as_query_engine(llm=MockLLM(), similarity_top_k=10)
