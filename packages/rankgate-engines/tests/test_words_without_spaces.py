"""Chinese, Japanese and Korean words, short ones too, are found by every engine that builds an index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

BUILT = ("tantivy", "lancedb", "bm25s")
CHINESE = """\
# 运维手册

## 轮换密钥

每隔九十天要更换一次密钥。旧的密钥在二十四小时之内仍然有效，之后会被撤销。

## 备份与恢复

数据库每晚备份一次。恢复备份之前，请先停止所有写入。

## API限流

每个客户端每分钟最多发送六百次请求，超过之后API返回状态码429。

## 日志

日志写入标准输出，由采集程序送往中央存储，保留三十天。
"""
JAPANESE = """\
# 運用ガイド

## ログイン

利用者は二段階の認証を済ませてから管理画面に入ります。認証に失敗すると十分間待つ必要があります。

## サーバーの再起動

設定を変更した後はサーバーを再起動してください。再起動の手順は次の通りです。

## Webhookの再送

配信に失敗したWebhookは、間隔を空けながら五回まで再送されます。

## 料金

料金は月末にまとめて請求されます。途中で解約しても日割りはありません。
"""
KOREAN = """\
# 운영 안내서

## 결제

고객이 카드로 결제를 마치면 영수증이 전자우편으로 발송됩니다. 결제가 거절되면 다시 시도할 수 있습니다.

## 로그 보관

로그는 구십 일 동안 보관되며, 그 기간이 지나면 자동으로 삭제됩니다.

## 배포

새 버전은 시험 환경에서 먼저 확인한 뒤 운영 서버에 배포합니다.

## 알림

장애가 생기면 담당자에게 문자로 알림을 보냅니다.
"""
QUERIES = {
    # Judged by reading the sections above; those of two letters stand in the middle of a sentence.
    "撤销": "zh.md#轮换密钥",
    "恢复数据库备份": "zh.md#备份与恢复",
    "API限流": "zh.md#API限流",
    "認証": "ja.md#ログイン",
    "サーバー再起動": "ja.md#サーバーの再起動",
    "Webhook再送": "ja.md#Webhookの再送",
    "결제": "ko.md#결제",
    "서버 배포": "ko.md#배포",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in {"zh": CHINESE, "ja": JAPANESE, "ko": KOREAN}.items():
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    cases = "".join(f"  - {{query: {query}, at: '{at}'}}\n" for query, at in QUERIES.items())
    suite = f"corpus: docs/\ngates: [hit@1 >= 1]\ncases:\n{cases}"
    (tmp_path / "search.yaml").write_text(suite, encoding="utf-8")
    built = [f'[systems.{kind}]\nkind = "{kind}"\nchunks = "section"\n' for kind in BUILT]
    ngram = '[systems.ngram]\nkind = "tantivy"\nchunks = "section"\ntokenizer = "ngram"\n'
    (tmp_path / "rankgate.toml").write_text("".join([*built, ngram]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("system", [*BUILT, "ngram"])
def test_every_query_finds_its_section_first(project: Path, system: str) -> None:
    done = rankgate("test", "search.yaml", "--system", system, "--report", "json=report.json")
    report = json.loads((project / "report.json").read_text(encoding="utf-8"))
    assert {case["query"]: case["rank"] for case in report["cases"]} == dict.fromkeys(QUERIES, 1)
    assert done.code == 0, done.out + done.err


def test_a_tokenizer_that_tantivy_does_not_know_is_refused_before_anything_is_built(project: Path) -> None:
    text = (project / "rankgate.toml").read_text(encoding="utf-8")
    (project / "rankgate.toml").write_text(text.replace('"ngram"', '"ngrams"'), encoding="utf-8")
    done = rankgate("test", "search.yaml", "--system", "ngram")
    assert done.code == 2, done.out
    assert "ngram.tokenizer" in done.err
    assert "en_stem" in done.err
    assert "killed" not in done.out + done.err
    assert not list((project / "cache").glob("indexes/tantivy/*"))
