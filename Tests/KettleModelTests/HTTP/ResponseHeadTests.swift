import Testing

@testable import KettleModel

struct ResponseHeadTests {
  private let head = ResponseHead(
    status: 200,
    headers: [
      HeaderField(received: "ETag", "\"a\""), HeaderField(received: "Via", "x"),
      HeaderField(received: "VIA", "y"), HeaderField(received: "Length", "5"),
      HeaderField(received: "length", "5"),
    ])

  @Test func `names are compared without case`() {
    #expect(head.value(of: "etag") == "\"a\"")
    #expect(head.values(of: "via") == ["x", "y"])
    #expect(head.values(of: "absent").isEmpty)
  }

  @Test func `a header with two different values has no value`() {
    #expect(head.value(of: "Via") == nil)
    #expect(head.value(of: "Length") == "5")
    #expect(head.value(of: "absent") == nil)
  }
}

struct ValidatorTests {
  private func strong(_ entityTag: String?, _ date: String?, isStrong: Bool) -> String? {
    Validator(entityTag: entityTag, lastModified: date, isLastModifiedStrong: isStrong).strongValue
  }

  @Test func `a strong entity tag takes precedence`() {
    #expect(strong("\"a\"", "date", isStrong: true) == "\"a\"")
    #expect(strong("\"a\"", nil, isStrong: false) == "\"a\"")
  }

  @Test func `a weak tag is never used and rules out the date`() {
    #expect(strong("W/\"a\"", nil, isStrong: false) == nil)
    #expect(strong("W/\"a\"", "date", isStrong: true) == nil)
  }

  @Test func `a date is a validator if it is strong`() {
    #expect(strong(nil, "date", isStrong: true) == "date")
    #expect(strong(nil, "date", isStrong: false) == nil)
    #expect(strong(nil, nil, isStrong: true) == nil)
  }

  @Test func `an empty entity tag is ignored`() {
    #expect(strong("", nil, isStrong: false) == nil)
    #expect(strong("", "date", isStrong: true) == "date")
  }
}
