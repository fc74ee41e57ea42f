import Testing

/// The rule against small bad samples, which prove that it can fail.
struct DocumentationRuleTests {
  private func source(_ text: String) -> SourceText {
    SourceText(path: "Sources/BackgroundTransfer/Sample.swift", text: text)
  }

  @Test func `public declarations need a comment, and types an example`() {
    let file = source(
      """
      /// Good.
      ///
      /// ```swift
      /// let a = A()
      /// ```
      // Why it is unchecked.
      public final class A: @unchecked Sendable {
        public init() {}
        /// A text.
        public var text: String { "" }
        @discardableResult
        public func bare() -> Int { 5 }
        func inside() {}
      }
      /// Without an example.
      public enum B { case a }
      extension P {
        public func byDefault() {}
      }
      extension A {
        public static func bareToo() {}
      }
      """)
    let findings = DocumentationRule.findings(in: file, protocols: ["P"])
    #expect(findings.map(\.line) == [8, 12, 16, 21])
  }

  @Test func `a name under no topic is found`() {
    let page = SourceText(path: "Page.md", text: "# ``A``\n- ``B``\nSee ``C``.\n- ``P/d``")
    let file = source("public struct A {}\npublic enum B {}\npublic let C = 5\n  public let d = 5")
    let findings = DocumentationRule.uncurated(in: [file], page: page, protocols: [])
    #expect(findings.map(\.why) == ["\"A\" is under no topic", "\"C\" is under no topic"])
  }

  @Test func `protocols are recognized by their declarations`() {
    let file = source("@preconcurrency\npublic protocol P: AnyObject {\n}\nprotocol Q {}")
    #expect(DocumentationRule.protocols(in: [file]) == ["P"])
  }
}
