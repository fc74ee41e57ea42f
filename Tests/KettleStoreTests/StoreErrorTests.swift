import Testing

@testable import KettleStore

@Suite struct StoreErrorTests {
  @Test func `the sentences state what failed, on which file, and what to do`() {
    let expected: [(StoreError.Code, String)] = [
      (
        .newer,
        "The store \"/s\" was made by a newer Kettle (why); install that version again, "
          + "or move the file away to begin with an empty list"
      ),
      (
        .wrongOwner,
        "The store \"/s\" belongs to another user (why); run Kettle as that user, "
          + "or set XDG_STATE_HOME to a directory of your own"
      ),
      (.diskFull, "The disk of the store \"/s\" is full (why); free some space"),
      (.busy, "The store \"/s\" is in use by another program (why); end that program"),
      (.unreadable, "The store \"/s\" cannot be read (why); check its disk and its permissions"),
      (
        .unwritable,
        "The store \"/s\" cannot be written (why); check its disk and its permissions"
      ),
    ]
    for (code, sentence) in expected {
      let error = StoreError(code: code, path: "/s", detail: "why")
      #expect(error.sentence == sentence)
      #expect("\(error)" == sentence)
    }
    #expect(
      StoreError(code: .diskFull, path: "/a\u{1B}b", detail: nil).sentence
        == "The disk of the store \"/a\u{FFFD}b\" is full; free some space")
  }
}
