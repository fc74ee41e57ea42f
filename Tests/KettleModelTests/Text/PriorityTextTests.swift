import KettleModel
import Testing

struct PriorityTextTests {
  @Test(arguments: [
    ("low", 0.25), ("normal", 0.5), ("high", 0.75), ("0", 0), ("1", 1), ("0.3", 0.3), (".5", 0.5),
  ])
  func `a priority is parsed`(text: String, expected: Double) {
    #expect(PriorityText.parse(text)?.value == expected)
  }

  @Test(arguments: ["", "High", "1.1", "-0.1", "nan", "inf", "0x1p-1", "1e-1", "0,5", "."])
  func `an invalid priority is rejected`(text: String) {
    #expect(PriorityText.parse(text) == nil)
  }
}
