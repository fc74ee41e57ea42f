import KettleModel
import Testing

struct RateTextTests {
  @Test(arguments: [
    ("1", Int64(1)), ("500", 500), ("1K", 1024), ("1k", 1024), ("1.5M", 1_572_864),
    ("0.5K", 512), ("2G", 2_147_483_648), ("1.0", 1), ("1.999", 1), ("0.001M", 1048),
    ("1.1234567891234K", 1150), ("9223372036854775807", .max),
    ("8589934591G", 9_223_372_035_781_033_984), ("500/s", 500), ("900 B/s", 900),
  ])
  func `a rate is parsed as bytes per second`(text: String, expected: Int64) {
    #expect(RateText.parse(text) == expected)
  }

  @Test(arguments: [
    "", "0", "0.0", "0K", "K", ".5M", "1.", "1.M", "-1", "+1", " 1", "1 ", "1e3", "1T", "1TB",
    "1Mb", "1 Mb/s", "1Mbit/s", "1KiBs", "1 /s", "1KiB/", "1/", "KiB/s", "1KK", "1,5M", "0x10",
    "nan", "١", "9223372036854775808", "8589934592G", "0.0001K", "1.2.3",
  ])
  func `text that is not a positive rate is rejected`(text: String) {
    #expect(RateText.parse(text) == nil)
    #expect(RateText.typed(text) == nil)
  }

  @Test func `a few bytes without a unit are a slip`() {
    #expect(RateText.typed("5") == nil && RateText.typed("1023") == nil)
    #expect(RateText.typed("5B") == 5 && RateText.typed("900 B/s") == 900)
    #expect(RateText.typed("1024") == 1024 && RateText.typed("5K") == 5120)
  }
}

extension RateTextTests {
  @Test(arguments: [
    ("500 KiB/s", Int64(512_000)), ("500KiB", 512_000), ("500 KIB/s", 512_000),
    ("1.5MiB", 1_572_864), ("1.5 MiB/s", 1_572_864), ("1 M", 1_048_576), ("2GiB/s", 2_147_483_648),
    ("0.5 kib/s", 512),
  ])
  func `a unit with an i, or without a B, is a power of 1024`(text: String, expected: Int64) {
    #expect(RateText.parse(text) == expected)
  }

  @Test(arguments: [
    ("500 KB/s", Int64(500_000)), ("500kB", 500_000), ("500kb/s", 500_000), ("1.5MB", 1_500_000),
    ("2 GB/s", 2_000_000_000),
  ])
  func `KB, MB and GB are powers of 1000`(text: String, expected: Int64) {
    #expect(RateText.parse(text) == expected)
  }

  @Test(arguments: [Int64(1), 999, 1024, 1536, 512_000, 1_572_864, 60 << 20, 3 << 30])
  func `what is printed as a speed or a limit is a rate`(rate: Int64) {
    #expect(RateText.parse(ByteText.limit(rate)) == rate)
    #expect(RateText.parse(ByteText.speed(rate)) == rate)
  }
}

extension RateTextTests {
  @Test(arguments: [
    (Int64(1), "1"), (500, "500"), (1024, "1K"), (1536, "1.5K"), (1_572_864, "1.5M"),
    (2_147_483_648, "2G"), (1100, "1100"), (1_048_577, "1048577"), (0, "0"), (-5, "-5"),
    (.max, "9223372036854775807"),
  ])
  func `a formatted rate parses as the same rate`(rate: Int64, text: String) {
    #expect(RateText.text(rate) == text)
    if rate > 0 { #expect(RateText.parse(text) == rate) }
  }
}
