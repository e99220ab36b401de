#pragma once

#include <variant>

#include "hasa/families/cross/kgbert_family.h"
#include "hasa/families/frozen/frozen_family.h"
#include "hasa/families/fusion/fusion_family.h"
#include "hasa/families/graph_rerank/graph_rerank_family.h"
#include "hasa/families/kbgan/kbgan_family.h"
#include "hasa/families/lass/lass_family.h"
#include "hasa/families/path/path_family.h"
#include "hasa/families/path/text_path_family.h"
#include "hasa/families/popularity/popularity_family.h"
#include "hasa/families/rerank/rerank_family.h"
#include "hasa/families/rules/rules_family.h"
#include "hasa/families/simkgc/simkgc_family.h"
#include "hasa/families/star/star_family.h"
#include "hasa/families/star_ensemble/star_ensemble_family.h"
#include "hasa/families/table/table_family.h"
#include "hasa/families/text/text_family.h"

namespace hasa {

/// All families: the only list of them. The first is the default of model.type.
using Family = std::variant<FrozenFamily,       //
                            TextFamily,         //
                            KgBertFamily,       //
                            LassFamily,         //
                            SimkgcFamily,       //
                            StarFamily,         //
                            TransEFamily,       //
                            DistMultFamily,     //
                            ComplExFamily,      //
                            RotatEFamily,       //
                            KbganFamily,        //
                            PathFamily,         //
                            TextPathFamily,     //
                            PopularityFamily,   //
                            RulesFamily,        //
                            FusionFamily,       //
                            RerankFamily,       //
                            GraphRerankFamily,  //
                            StarEnsembleFamily>;

}  // namespace hasa
