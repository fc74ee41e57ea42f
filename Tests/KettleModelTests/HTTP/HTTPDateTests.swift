import KettleModel
import Testing

struct HTTPDateTests {
  private let moment = WallTime(millisecondsSince1970: 784_111_777_000)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `the three forms of RFC 9110 are parsed`(_ text: String) {
    #expect(HTTPDate.parse(text) == moment)
  }

  @Test(arguments: [
    "", "yesterday", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 31 Jun 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "-1",
  ])
  func `anything else is rejected`(_ text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
  ])
  func `a date is formatted as HTTP requires`(seconds: Int64, text: String) {
    #expect(HTTPDate.text(WallTime(millisecondsSince1970: seconds * 1000)) == text)
  }
}
