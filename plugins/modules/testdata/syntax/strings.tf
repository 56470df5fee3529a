variable "braces" {
  default = "} { ] [ ) ( # // /* <<EOT"
}

variable "escaped_template" {
  default = "$${not} %%{a} template $5 50%"
}

variable "template" {
  default = "a ${lookup({ "k" = "}" }, "k")} b"
}

variable "nested_template" {
  default = "${"${"deep ${"er"}"}"}"
}

variable "directive" {
  default = "%{if true}yes%{else}no%{endif}"
}

variable "multi_line_template" {
  default = "${
    "x" # } a comment in a template
  }"
}

locals {
  map = {
    variable = "not a block"
    "resource" = 1
  }
}

variable "after" {
  description = "Still here"
}
