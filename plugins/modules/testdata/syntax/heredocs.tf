variable "plain" {
  default = <<EOT
  kept
    as it is }
EOT
}

variable "flush" {
  default = <<-EOT
    first
      second

    $${third}
  EOT
}

variable "marker-with_dash" {
  default = <<END-of_1
END-of_1 is not alone here
  END-of_1
}

variable "template" {
  default = <<-EOT
    hello ${var.plain == <<X
inner }
X
    ? "a" : "b"} EOT
  EOT
}

variable "in_list" {
  default = [<<A
one
A
    , <<-B
      two
    B
  ]
}

variable "after" {
}
